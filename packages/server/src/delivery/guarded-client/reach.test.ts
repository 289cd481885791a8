import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { guardedClient } from '../../../test/support/guarded-client.ts';
import { type RawReceiver, startRawReceiver, startReceiver } from '../../../test/support/receiver.ts';
import { Problem } from '../../core/errors.ts';
import type { Lookup } from './resolve.ts';

/** Nothing reaches a private address by any spelling, redirect, or DNS answer that changes. */

let canary: RawReceiver;
beforeAll(async () => {
  canary = await startRawReceiver(socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
});
afterAll(() => canary.stop());

const timeoutMs = 5_000;

const spellings = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '0X7F.0.0.1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.01',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '2852039166',
  '[::ffff:169.254.169.254]',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
];

describe('with no address allowed but public ones', () => {
  const strict = guardedClient({ allow: [], lookup: async () => ['127.0.0.1'] });

  for (const host of [...spellings, 'private.test']) {
    test(`https://${host}/ is refused when sent to, dialled and saved`, async () => {
      const before = canary.connections();
      const url = `http://${host}:${canary.port}/`;
      expect(await strict.request({ url, headers: {}, body: '{}', timeoutMs })).toMatchObject({
        failure: { code: 'address_not_allowed' },
      });
      const signal = AbortSignal.timeout(timeoutMs);
      const dialled = await strict.openSocket(host, canary.port, signal);
      expect(dialled).toMatchObject({ kind: 'failed', failure: { code: 'address_not_allowed' } });
      const refusal = await strict.requireUsableUrl(url, 'config.url').catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Problem);
      expect(refusal).toMatchObject({ status: 400, path: 'config.url' });
      expect(canary.connections()).toBe(before);
    });
  }

  test('a redirect there is an answer that leads nowhere', async () => {
    const before = canary.connections();
    const receiver = startReceiver(() => Response.redirect(`http://127.0.0.1:${canary.port}/`, 302));
    const url = `http://public.test:${receiver.port}/`;
    const result = await guardedClient().request({ url, headers: {}, body: '{}', timeoutMs });
    expect(result).toMatchObject({ status: 302 });
    expect(canary.connections()).toBe(before);
    await receiver.stop();
  });
});

describe('a DNS answer', () => {
  const request = (lookup: Lookup, allow: string[], now = Date.now) =>
    guardedClient({ allow, lookup, now }).request({
      url: `http://name.test:${canary.port}/`,
      headers: {},
      body: '{}',
      timeoutMs,
    });

  test('with one private address among public ones is refused whole', async () => {
    const before = canary.connections();
    for (const answer of [
      ['93.184.216.34', '127.0.0.1'],
      ['127.0.0.1', '93.184.216.34'],
      ['2606:4700::1111', '::1'],
      ['::ffff:127.0.0.1'],
    ]) {
      expect(await request(async () => answer, [])).toMatchObject({
        failure: { code: 'address_not_allowed' },
      });
    }
    expect(canary.connections()).toBe(before);
  });

  test('that changes between look-ups cannot win: the connection goes where the check was made', async () => {
    // The first answer may be connected to and nobody listens there; every later one is the canary's address.
    let lookups = 0;
    const flipping: Lookup = async () => (++lookups === 1 ? ['127.0.0.9'] : ['127.0.0.1']);
    const before = canary.connections();
    expect(await request(flipping, ['127.0.0.9/32'])).toMatchObject({
      failure: { code: 'connection_refused' },
    });
    expect(lookups).toBe(1);
    expect(canary.connections()).toBe(before);
  });

  test('that turns private later is refused then', async () => {
    let now = 1_000_000;
    let answer = ['127.0.0.1'];
    const client = guardedClient({ allow: ['127.0.0.1/32'], lookup: async () => answer, now: () => now });
    const send = () =>
      client.request({ url: `http://name.test:${canary.port}/`, headers: {}, body: '{}', timeoutMs });
    expect(await send()).toMatchObject({ status: 200 });
    answer = ['10.0.0.1'];
    now += 60_000;
    expect(await send()).toMatchObject({ failure: { code: 'address_not_allowed' } });
  });

  test('is asked for once by many requests, and again a moment later', async () => {
    let now = 1_000_000;
    let lookups = 0;
    const lookup: Lookup = async () => {
      lookups++;
      return ['127.0.0.1'];
    };
    const client = guardedClient({ lookup, now: () => now });
    await Promise.all(Array.from({ length: 20 }, () => client.locate('name.test')));
    expect(lookups).toBe(1);
    now += 5_001;
    await client.locate('name.test');
    expect(lookups).toBe(2);
  });
});

describe('a URL is refused when saved where it', () => {
  const strict = guardedClient({ allow: [], allowHttp: false, lookup: async () => ['93.184.216.34'] });
  const problem = async (url: string) => {
    const refusal = await strict.requireUsableUrl(url, 'config.url').catch((error: unknown) => error);
    return refusal instanceof Problem ? `${refusal.status} ${refusal.path}` : refusal;
  };
  for (const url of [
    'http://example.com/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'javascript:alert(1)',
    'data:text/plain,hello',
    'https://user:secret@example.com/',
    'https://user@example.com/',
    'https://',
    'example.com',
    '',
    'https://10.0.0.1/',
    'https://[::1]:8443/',
  ]) {
    test(`is ${JSON.stringify(url)}`, async () => expect(await problem(url)).toBe('400 config.url'));
  }

  test('has a name that is private now, and not where it is public or not there yet', async () => {
    expect(await problem('https://example.com/hook?x=1')).toBeUndefined();
    const unknown = guardedClient({ allow: [], lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await unknown.requireUsableUrl('https://not-yet.test/', 'config.url')).toBeUndefined();
  });

  test('is a secret, and is then not repeated', async () => {
    const refusal = await strict
      .requireUsableUrl('https://user:hunter2@10.0.0.1/canary', 'config.url')
      .catch((error: unknown) => error);
    expect(String(refusal)).not.toMatch(/hunter2|canary/);
  });
});
