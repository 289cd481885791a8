import { afterEach, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { guardedClient } from '../../../test/support/guarded-client.ts';
import {
  afterRequest,
  startNamedTlsReceiver,
  startRawReceiver,
  startReceiver,
} from '../../../test/support/receiver.ts';
import { createAuthority } from '../../../test/support/tls.ts';
import { until as waitUntil } from '../../../test/support/until.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function keep<T extends { stop(): unknown }>(receiver: T): T {
  closing.push(() => receiver.stop());
  return receiver;
}

const client = guardedClient();
const raw = async (handle: Parameters<typeof startRawReceiver>[0]) => keep(await startRawReceiver(handle));
const send = (port: number, over: { timeoutMs?: number; keptBytes?: number } = {}) =>
  client.request({
    url: `http://receiver.test:${port}/hook`,
    headers: {},
    body: '{}',
    timeoutMs: 5_000,
    ...over,
  });

const until = (holds: () => boolean) => waitUntil(holds, 'It did not come to that.', 5_000);

describe('an answer', () => {
  test('comes back with status, headers and body', async () => {
    const receiver = keep(
      startReceiver(() => new Response('thanks', { status: 201, headers: { 'x-a': 'b' } })),
    );
    const result = await client.request({
      url: `http://receiver.test:${receiver.port}/hook?x=1`,
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
      timeoutMs: 5_000,
    });
    expect(result).toMatchObject({ kind: 'answered', status: 201, body: 'thanks', isCut: false });
    expect(result.kind === 'answered' && result.headers.get('x-a')).toBe('b');
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook?x=1', body: '{"a":1}' });
    expect(request?.headers.get('host')).toBe(`receiver.test:${receiver.port}`);
    expect(request?.headers.get('accept-encoding')).toBe('identity');
  });

  test('comes with the phases that were reached, and none that nobody could measure', async () => {
    const receiver = keep(startReceiver(() => new Response('thanks')));
    const fresh = guardedClient({ now: () => 0 });
    const request = (port: number) =>
      fresh.request({ url: `http://receiver.test:${port}/`, headers: {}, body: '{}', timeoutMs: 5_000 });
    const first = await request(receiver.port);
    expect(Object.keys(first.phases ?? {}).sort()).toEqual(['body_ms', 'dns_ms', 'first_byte_ms']);
    for (const ms of Object.values(first.phases ?? {})) expect(ms).toBeGreaterThanOrEqual(0);
    // The name is known by now, so nothing was looked up.
    const second = await request(receiver.port);
    expect(Object.keys(second.phases ?? {}).sort()).toEqual(['body_ms', 'first_byte_ms']);
    const cut = await raw(afterRequest(socket => socket.destroy()));
    const failed = await request(cut.port);
    expect(failed).toMatchObject({ kind: 'failed', phases: {} });
    expect(failed.phases).not.toHaveProperty('first_byte_ms');
    fresh.close();
  });

  test('is read whole where it is of just the size that is kept', async () => {
    const receiver = keep(startReceiver(() => new Response('a'.repeat(16 * 1024))));
    expect(await send(receiver.port)).toMatchObject({ body: 'a'.repeat(16 * 1024), isCut: false });
  });

  test('that never ends is cut where enough is kept, and hung up on', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const receiver = await raw(
      afterRequest(socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n');
        const more = () => {
          do written += chunk.length;
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', more);
        more();
      }),
    );
    expect(await send(receiver.port)).toMatchObject({
      status: 200,
      body: 'x'.repeat(16 * 1024),
      isCut: true,
    });
    await until(() => receiver.open() === 0);
    expect(written).toBeLessThan(50 * 1024 * 1024);
  });

  test('that inflates a thousandfold is cut like any other', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, 'b'));
    const headers = { 'content-encoding': 'gzip' };
    const receiver = keep(startReceiver(() => new Response(bomb, { headers })));
    expect(await send(receiver.port)).toMatchObject({
      status: 200,
      body: 'b'.repeat(16 * 1024),
      isCut: true,
    });
  });

  test('that is compressed although nobody asked is read', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const receiver = keep(startReceiver(() => new Response(gzipSync('{"ok":true}'), { headers })));
    expect(await send(receiver.port)).toMatchObject({ body: '{"ok":true}', isCut: false });
  });

  test('that only says that it is compressed does no harm', async () => {
    const receiver = keep(
      startReceiver(() => new Response('plain', { headers: { 'content-encoding': 'gzip' } })),
    );
    expect(await send(receiver.port)).toMatchObject({ status: 200, body: 'plain' });
  });

  test('of any bytes at all is text that a database can hold', async () => {
    const bytes = new Uint8Array([0x61, 0x00, 0xff, 0xed, 0xa0, 0x80, 0x62]);
    const receiver = keep(startReceiver(() => new Response(bytes)));
    const result = await send(receiver.port);
    const body = result.kind === 'answered' ? result.body : '';
    expect(body).toMatch(/^a\uFFFD+b$/);
    expect(body.isWellFormed()).toBe(true);
  });

  test('keeps as much as is asked for', async () => {
    const receiver = keep(startReceiver(() => new Response('ä'.repeat(100))));
    expect(await send(receiver.port, { keptBytes: 5 })).toMatchObject({ body: 'ää', isCut: true });
    expect(await send(receiver.port, { keptBytes: 200 })).toMatchObject({
      body: 'ä'.repeat(100),
      isCut: false,
    });
  });

  test('that redirects is an answer, and is not followed', async () => {
    const target = keep(startReceiver());
    const receiver = keep(startReceiver(() => Response.redirect(`${target.url}/private`, 307)));
    expect(await send(receiver.port)).toMatchObject({ kind: 'answered', status: 307 });
    expect(target.requests).toEqual([]);
  });
});

describe('a failure has its code:', () => {
  const code = async (receiver: { port: number }, timeoutMs = 5_000) => {
    const result = await send(receiver.port, { timeoutMs });
    return result.kind === 'failed' ? result.failure.code : result;
  };

  test('timeout, where the receiver hangs', async () => {
    const receiver = await raw(() => {});
    const began = performance.now();
    expect(await code(receiver, 200)).toBe('timeout');
    expect(performance.now() - began).toBeLessThan(12_000);
    await until(() => receiver.open() === 0);
  });

  test('timeout, where it drips byte by byte and never comes to an end', async () => {
    const receiver = await raw(
      afterRequest(socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
        const timer = setInterval(() => socket.write('.'), 10);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    expect(await code(receiver, 200)).toBe('timeout');
  });

  test('timeout, where the name is never found', async () => {
    const lost = guardedClient({ lookup: () => new Promise(() => {}) });
    const result = await lost.request({ url: 'https://lost.test/', headers: {}, timeoutMs: 50 });
    expect(result).toMatchObject({ failure: { code: 'timeout' } });
  });

  test('connection_refused, where nobody listens', async () => {
    const gone = await startRawReceiver(() => {});
    await gone.stop();
    expect(await code(gone)).toBe('connection_refused');
  });

  test('connection_reset, where the receiver hangs up after it has read everything', async () => {
    expect(await code(await raw(afterRequest(socket => socket.resetAndDestroy())))).toBe('connection_reset');
    expect(await code(await raw(afterRequest(socket => socket.end())))).toBe('connection_reset');
  });

  test('connection_reset, where the body is shorter than it said', async () => {
    const short = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc';
    expect(await code(await raw(afterRequest(socket => socket.end(short))))).toBe('connection_reset');
  });

  test('bad_response, where it is no HTTP', async () => {
    const broken = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc';
    expect(await code(await raw(afterRequest(socket => socket.end(broken))))).toBe('bad_response');
    const headers = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(5_000_000)}\r\n\r\n`;
    expect(await code(await raw(afterRequest(socket => socket.end(headers))))).toBe('bad_response');
  });

  test('dns_failed, where there is no such name', async () => {
    for (const lookup of [() => Promise.reject(new Error('ENOTFOUND')), () => Promise.resolve([])]) {
      const result = await guardedClient({ lookup }).request({
        url: 'https://nowhere.test/',
        headers: {},
        timeoutMs: 5_000,
      });
      expect(result).toMatchObject({ failure: { code: 'dns_failed' } });
    }
  });

  test('address_not_allowed, where plain HTTP is not', async () => {
    const receiver = keep(startReceiver());
    const result = await guardedClient({ allowHttp: false }).request({
      url: `http://receiver.test:${receiver.port}/`,
      headers: {},
      timeoutMs: 5_000,
    });
    expect(result).toMatchObject({ failure: { code: 'address_not_allowed' } });
    expect(receiver.requests).toEqual([]);
  });
});

describe('a certificate', () => {
  const authority = createAuthority();
  const ask = async (port: number, name: string, trusted = authority.ca) => {
    const result = await guardedClient({ ca: trusted, allowHttp: false }).request({
      url: `https://${name}:${port}/`,
      headers: {},
      body: '{}',
      timeoutMs: 5_000,
    });
    return result.kind === 'answered' ? result.status : result.failure.code;
  };

  test('must be for the name that was asked, whatever the address', async () => {
    const receiver = keep(startReceiver(undefined, authority.certify(['good.test'])));
    expect(await ask(receiver.port, 'good.test')).toBe(200);
    expect(await ask(receiver.port, 'other.test')).toBe('tls_invalid');
    expect(receiver.requests).toHaveLength(1);
  });

  test('may be for an address where the URL names one', async () => {
    const receiver = keep(startReceiver(undefined, authority.certify(['127.0.0.1'])));
    expect(await ask(receiver.port, '127.0.0.1')).toBe(200);
    expect(await ask(receiver.port, '127.0.0.2')).not.toBe(200);
  });

  test('must be in its time, and from somebody who is trusted', async () => {
    const past = { from: new Date('2020-01-01'), to: new Date('2020-02-01') };
    const expired = keep(startReceiver(undefined, authority.certify(['good.test'], past)));
    expect(await ask(expired.port, 'good.test')).toBe('tls_invalid');
    const stranger = keep(startReceiver(undefined, createAuthority().certify(['good.test'])));
    expect(await ask(stranger.port, 'good.test')).toBe('tls_invalid');
    expect([...expired.requests, ...stranger.requests]).toEqual([]);
  });

  test('is missed where the other side speaks no TLS', async () => {
    const plain = await raw(socket =>
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    expect(await ask(plain.port, 'good.test')).toBe('tls_invalid');
  });
});

describe('connections', () => {
  test('of two names on one address are never shared, and each name keeps its own', async () => {
    const authority = createAuthority();
    const receiver = keep(
      await startNamedTlsReceiver({
        'one.test': authority.certify(['one.test']),
        'two.test': authority.certify(['two.test']),
      }),
    );
    const both = guardedClient({ ca: authority.ca });
    const ask = (name: string) =>
      both.request({ url: `https://${name}:${receiver.port}/`, headers: {}, body: '{}', timeoutMs: 5_000 });
    for (const name of ['one.test', 'two.test', 'one.test', 'two.test', 'one.test']) {
      expect(await ask(name)).toMatchObject({ kind: 'answered', status: 200 });
    }
    const { requests } = receiver;
    expect(requests.map(({ host }) => host.split(':')[0])).toEqual(
      requests.map(({ serverName }) => serverName),
    );
    expect(requests.map(({ connection }) => connection)).toEqual([1, 2, 1, 2, 1]);
  });

  test('are tried on the next address where the first does not take any', async () => {
    const receiver = keep(startReceiver());
    const two = guardedClient({ lookup: async () => ['127.0.0.77', '127.0.0.1'] });
    const result = await two.request({
      url: `http://both.test:${receiver.port}/`,
      headers: {},
      body: '{}',
      timeoutMs: 5_000,
    });
    expect(result).toMatchObject({ status: 200 });
    expect(receiver.requests).toHaveLength(1);
  });
});
