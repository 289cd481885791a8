import { expect, test } from 'bun:test';
import { createHeaderKeeper } from './kept-headers.ts';

const keep = createHeaderKeeper(['x-gitlab-token'], ['x-internal-*', 'X-Left-Out']);
const kept = (headers: Record<string, string>, attributes?: Record<string, string>) =>
  JSON.parse(keep(new Headers(headers), attributes));

test('names are in lower case, and what a sender sends twice is one list', () => {
  const headers = new Headers({ 'X-One': 'a' });
  headers.append('x-one', 'b');
  expect(JSON.parse(keep(headers))).toEqual({ 'x-one': 'a, b' });
});

test('credentials, signatures and what the operator lists are left out', () => {
  const secret = {
    authorization: 'x',
    cookie: 'x',
    'proxy-authorization': 'x',
    'x-ingest-signature': 'x',
    'stripe-signature': 'x',
    'x-gitlab-token': 'x',
    'x-internal-route': 'x',
    'x-left-out': 'x',
  };
  expect(kept({ ...secret, 'x-internal': 'kept' })).toEqual({ 'x-internal': 'kept' });
});

test('the header of a source’s own scheme is left out of what that source keeps', () => {
  const headers = new Headers({ 'x-acme': 'x', 'x-b': 'y' });
  expect(JSON.parse(keep(headers, null, ['x-acme']))).toEqual({ 'x-b': 'y' });
  expect(JSON.parse(keep(headers))).toEqual({ 'x-acme': 'x', 'x-b': 'y' });
});

test('16 KiB in all: what does not fit is left out, and what comes after it may still fit', () => {
  const half = 'y'.repeat(8 * 1024 - 1);
  const found = kept({ a: half, b: `${half}z`, c: 'y'.repeat(8 * 1024 - 2) });
  expect(Object.keys(found)).toEqual(['a', 'c']);
});

test('attributes of an event stand beside the headers, and before those of the same name', () => {
  expect(kept({ 'ce-source': '%41', 'x-a': '1' }, { 'ce-source': 'A' })).toEqual({
    'ce-source': 'A',
    'x-a': '1',
  });
});

test('a header may be called as anything on a prototype', () => {
  expect(kept({ constructor: 'x', __proto__: 'y' } as Record<string, string>)).toMatchObject({
    constructor: 'x',
  });
});

test('headers in which proxies hand on addresses and tokens are left out', () => {
  const names = [
    'x-original-uri',
    'x-original-url',
    'x-forwarded-uri',
    'x-envoy-original-path',
    'x-rewrite-url',
    'cf-access-jwt-assertion',
    'x-amzn-oidc-data',
    'x-amzn-oidc-accesstoken',
    'x-forwarded-access-token',
    'x-acme-token',
    'acme-client-secret',
    'x-password',
    'x-jwt',
    'x-acme-api-key',
    'acme-apikey',
  ];
  expect(kept(Object.fromEntries(names.map(name => [name, 'x'])))).toEqual({});
  const others = { 'x-gitlab-event': 'push', 'i-twilio-idempotency-token': 't-1', 'x-forwarded-for': '::1' };
  expect(kept(others)).toEqual(others);
});

test('a value with the token of the source in it is left out, whatever its name', () => {
  const headers = new Headers({ referer: 'https://sluice.example.com/whk/tok123', 'x-a': '1' });
  expect(JSON.parse(keep(headers, { 'ce-source': '/whk/tok123' }, [], 'tok123'))).toEqual({ 'x-a': '1' });
});
