import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { sourceScheme } from '@sluice/contract/dashboard-providers';
import { customPreset } from '../providers/custom.ts';
import { found } from './received.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const at = NOW / 1_000;
const scheme = { header: 'x-acme', algorithm: 'sha256', encoding: 'hex' } as const;

function verify(given: object, headers: Record<string, string>) {
  const keys = { secrets: ['chosen'], publicKey: null, verifyToken: null, verifyWith: 'none' } as const;
  const { verify } = customPreset(sourceScheme.parse({ ...scheme, ...given })).prepare(keys, {
    fetchText: async () => '',
  });
  return verify({
    method: 'POST',
    headers: new Headers(headers),
    bytes: new TextEncoder().encode('{}'),
    url: () => '',
    proof: () => found({}),
    now: NOW,
  });
}

const hex = (text: string) => createHmac('sha256', 'chosen').update(text).digest('hex');

test('a format may leave the timestamp to a header of its own', () => {
  for (const format of ['v1={signature}', 'Acme {signature}']) {
    const given = { signed: '{timestamp}.{body}', format, timestamp_header: 'x-acme-time' };
    const sent = (when: number) =>
      verify(given, {
        'x-acme': format.replace('{signature}', hex(`${when}.{}`)),
        'x-acme-time': String(when),
      });
    expect(sent(at)).toBeNull();
    expect(sent(at - 301)).toMatchObject({ part: 'timestamp_old', where: 'x-acme-time' });
    const unsigned = { 'x-acme': format.replace('{signature}', hex('.{}')) };
    expect(verify(given, unsigned)).toEqual({ part: 'header_missing', header: 'x-acme-time' });
  }
});

test('a format with names takes each of them once, but for signatures while a secret is rotated', () => {
  const given = { signed: '{timestamp}.{body}', format: 't={timestamp},v1={signature}' };
  const genuine = `t=${at},v1=${hex(`${at}.{}`)}`;
  const repeated = { part: 'header_repeated', header: 'x-acme' } as const;
  const rotating = `${genuine},v1=${'0'.repeat(64)}`;
  for (const header of [genuine, `${genuine},v2=other`, genuine.replace(',', ' , '), rotating])
    expect(verify(given, { 'x-acme': header })).toBeNull();
  for (const second of [`t=${at}`, genuine])
    for (const header of [`${genuine}, ${second}`, `${second}, ${genuine}`])
      expect(verify(given, { 'x-acme': header })).toEqual(repeated);
  for (const second of ['', 'x', hex('{}')])
    for (const header of [`${genuine}, ${second}`, `${second}, ${genuine}`])
      expect(verify(given, { 'x-acme': header })).toMatchObject({ part: 'header_malformed' });
  expect(verify(given, { 'x-acme': `${genuine},v2=a, v2=b` })).toEqual(repeated);
});

test('a format that is set apart by semicolons may hold several signatures, and comes in one header', () => {
  const given = { signed: '{timestamp}:{body}', format: 'ts={timestamp};h1={signature}' };
  const genuine = `ts=${at};h1=${'0'.repeat(64)};h1=${hex(`${at}:{}`)}`;
  expect(verify(given, { 'x-acme': genuine })).toBeNull();
  for (const second of [`h1=${'0'.repeat(64)}`, `ts=${at}`, 'x', ''])
    for (const header of [`${genuine}, ${second}`, `${second}, ${genuine}`])
      expect(verify(given, { 'x-acme': header })).toMatchObject({ part: 'header_repeated' });
});

test('a timestamp that is not signed is refused when the scheme is saved', () => {
  const saved = sourceScheme.safeParse({ ...scheme, signed: '{body}', timestamp_header: 'x-acme-time' });
  expect(saved.error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [['signed'], 'must contain {timestamp} where there is a timestamp_header.'],
  ]);
});
