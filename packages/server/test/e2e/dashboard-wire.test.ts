import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { type Browser, cookieOf, openBrowser, setUp } from '../support/dashboard.ts';
import { expectRefused, toAnswer } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService({ settings: { SLUICE_MAX_BODY_BYTES: '4096' } });
  owner = await setUp(service);
});
afterAll(() => service.stop());

const postRaw = async (body: BodyInit, headers: Record<string, string> = {}) =>
  toAnswer(
    await fetch(`${service.url}/dashboard/api/keys`, {
      method: 'POST',
      body,
      headers: {
        'X-Sluice-CSRF': '1',
        'Content-Type': 'application/json',
        Cookie: cookieOf(owner),
        ...headers,
      },
    }),
  );
const bytes = (...codes: number[]) => new Uint8Array(codes);

describe('a body is refused', () => {
  const refused: [
    string,
    number,
    string,
    () => Promise<{ status: number; headers: Headers; body: unknown }>,
  ][] = [
    ['that is empty', 400, 'invalid_json', () => postRaw('')],
    ['that is cut off', 400, 'invalid_json', () => postRaw('{"name":')],
    ['that is not UTF-8', 400, 'invalid_encoding', () => postRaw(bytes(0x22, 0xff, 0x22))],
    [
      'in another format',
      415,
      'unsupported_media_type',
      () => postRaw('x', { 'Content-Type': 'text/plain' }),
    ],
    [
      'from a form',
      415,
      'unsupported_media_type',
      () => postRaw('name=x', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ],
    [
      'in another charset',
      415,
      'unsupported_media_type',
      () => postRaw('{"name":"x"}', { 'Content-Type': 'application/json; charset=latin1' }),
    ],
    ['that is too large', 413, 'payload_too_large', () => postRaw(`{"name":"${'x'.repeat(4_096)}"}`)],
    [
      'that is too large once it is unpacked',
      413,
      'payload_too_large',
      () =>
        postRaw(new Uint8Array(gzipSync(`{"name":"${'x'.repeat(10_000)}"}`)), { 'Content-Encoding': 'gzip' }),
    ],
    ['that is no gzip', 400, 'invalid_compression', () => postRaw('x', { 'Content-Encoding': 'gzip' })],
  ];
  for (const [name, status, code, send] of refused) {
    test(name, async () => {
      expectRefused(await send(), { status, code });
    });
  }

  test('with text that no database could hold, by its path', async () => {
    for (const name of ['\\u0000', '\\ud800']) {
      expectRefused(await postRaw(`{"name":"${name}"}`), {
        status: 400,
        code: 'validation_failed',
        path: 'name',
      });
    }
  });

  test('nested beyond the limit', async () => {
    expectRefused(await postRaw(`{"name":${'['.repeat(100)}${']'.repeat(100)}}`), {
      status: 400,
      code: 'validation_failed',
    });
  });
});

test('a body may be packed, begin with a byte-order mark, and say no content type', async () => {
  const packed = new Uint8Array(gzipSync('\ufeff{"name":"packed"}'));
  expect((await postRaw(packed, { 'Content-Encoding': 'gzip' })).status).toBe(201);
});

test('an unknown path is 404 in the envelope, for anybody', async () => {
  for (const browser of [owner, openBrowser(service.url)]) {
    for (const path of ['', '/', '/nothing', '/keys/', '/keys/x/y', '/Session', '/../api/nothing']) {
      expectRefused(await browser.get(path), { status: 404, code: 'not_found' });
    }
  }
});

test('a wrong method is 405, and says which would do', async () => {
  const allowed: [string, string, string][] = [
    ['PUT', '/keys', 'GET, POST'],
    ['POST', '/keys/key_x', 'GET, PATCH, DELETE'],
    ['PATCH', '/session', 'GET, POST, DELETE'],
    ['GET', '/session/organisation', 'PUT'],
    ['GET', '/sources/src_x/rotate', 'POST'],
    ['OPTIONS', '/keys', 'GET, POST'],
  ];
  for (const [method, path, allow] of allowed) {
    const answer = await owner.send(method, path);
    expectRefused(answer, { status: 405, code: 'method_not_allowed' });
    expect(answer.headers.get('allow')).toBe(allow);
  }
});

test('every answer, refusals too, tells browsers to keep, run and frame none of it', async () => {
  const answers = [
    await owner.get('/session'),
    await owner.post('/keys', {}),
    await owner.get('/nothing'),
    await openBrowser(service.url).get('/session'),
    await openBrowser(service.url).post('/session', { email: 'x', password: 'y' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 401, 401]);
  for (const { headers } of answers) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toStartWith("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});
