import { expect, test } from 'bun:test';
import { clientOf } from './client.ts';

const peer = { address: '10.0.0.1' };
const ask = (headers: Record<string, string>, trustProxy: boolean, baseUrl?: string) =>
  clientOf(new Request('http://sluice.internal:8080/x', { headers }), peer, { trustProxy, baseUrl });

test('without a proxy, the connection is what counts', () => {
  const forwarded = { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' };
  expect(ask(forwarded, false)).toEqual({
    address: '10.0.0.1',
    secure: false,
    baseUrl: 'http://sluice.internal:8080',
  });
});

test('with a trusted proxy, its own word counts and not what it was sent', () => {
  const forwarded = { 'X-Forwarded-For': '203.0.113.9, 192.0.2.1', 'X-Forwarded-Proto': 'https' };
  expect(ask(forwarded, true)).toEqual({
    address: '192.0.2.1',
    secure: true,
    baseUrl: 'https://sluice.internal:8080',
  });
  expect(ask({}, true)).toMatchObject({ address: '10.0.0.1', secure: false });
});

test('a base URL stands above both', () => {
  expect(ask({}, false, 'https://sluice.example.com')).toMatchObject({
    secure: true,
    baseUrl: 'https://sluice.example.com',
  });
});
