import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type HttpServer, serveHttp } from '../../runtime/http.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { createApp } from '../app.ts';
import { addPages, pagesIn } from './pages.ts';

const SCRIPT = `console.log('${'sluice '.repeat(100)}');`;
const STYLE = 'body { color: teal }';

let folder: string;
let server: HttpServer;
let url: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-pages-'));
  mkdirSync(join(folder, 'assets'));
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  write('index.html', '<meta name="csp-nonce" content=""><title>Sluice</title>');
  write('favicon.svg', '<svg/>');
  write('built-from', 'abc');
  write('assets/main-1a.js', SCRIPT);
  write('assets/main-1a.js.br', brotliCompressSync(SCRIPT));
  write('assets/main-1a.js.gz', gzipSync(SCRIPT));
  write('assets/main-1a.css', STYLE);
  write('assets/inter-1a.woff2', 'wOF2');
  server = serve(folder);
  url = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.cut();
  rmSync(folder, { recursive: true });
});

function serve(builtIn: string): HttpServer {
  const app = createApp({
    logger: createLogger('silent'),
    metrics: createMetrics({ waiting: () => 0, countWaiting: async () => null, version: '0' }),
    checkReady: async () => undefined,
    parts: [parent => addPages(parent, pagesIn(builtIn))],
  });
  const never = async () => new Response(null, { status: 500 });
  return serveHttp(
    { port: 0, hostname: '127.0.0.1' },
    { ingest: never, webhook: never, everythingElse: (request, peer) => app.fetch(request, peer) },
  );
}

/** As a browser that accepts these encodings; what it gets is left as it was sent. */
async function get(path: string, encodings = 'identity') {
  const response = await fetch(`${url}${path}`, {
    headers: { 'Accept-Encoding': encodings },
    decompress: false,
  });
  const header = (name: string) => response.headers.get(name);
  return { status: response.status, header, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('a file of the dashboard', () => {
  const chosen: [string, string | null, () => Uint8Array][] = [
    ['gzip, deflate, br, zstd', 'br', () => brotliCompressSync(SCRIPT)],
    ['gzip', 'gzip', () => gzipSync(SCRIPT)],
    ['br;q=0, gzip;q=0.5', 'gzip', () => gzipSync(SCRIPT)],
    ['gzip;q=0, br;q=0', null, () => Buffer.from(SCRIPT)],
    ['identity', null, () => Buffer.from(SCRIPT)],
    ['', null, () => Buffer.from(SCRIPT)],
  ];
  for (const [encodings, encoding, bytes] of chosen) {
    test(`is sent as ${encoding ?? 'it is'} to who accepts "${encodings}"`, async () => {
      const answer = await get('/assets/main-1a.js', encodings);
      expect(answer.status).toBe(200);
      expect(answer.header('content-encoding')).toBe(encoding);
      expect(answer.bytes.equals(bytes())).toBe(true);
      expect(answer.header('content-type')).toBe('text/javascript; charset=utf-8');
      expect(answer.header('vary')).toBe('Accept-Encoding');
      expect(answer.header('cache-control')).toBe('public, max-age=31536000, immutable');
    });
  }

  test('is sent as it is where it was not compressed', async () => {
    for (const [name, type] of [
      ['main-1a.css', 'text/css; charset=utf-8'],
      ['inter-1a.woff2', 'font/woff2'],
    ]) {
      const answer = await get(`/assets/${name}`, 'br, gzip');
      expect([answer.status, answer.header('content-encoding')]).toEqual([200, null]);
      expect(answer.header('content-type')).toBe(type ?? '');
      expect(answer.header('vary')).toBe('Accept-Encoding');
    }
  });

  test('without a hash in its name is asked for again each time', async () => {
    const answer = await get('/favicon.svg');
    expect(answer.header('content-type')).toBe('image/svg+xml');
    expect(answer.header('cache-control')).toBe('no-cache');
  });

  test('is framed, sniffed and run by nobody', async () => {
    const { header } = await get('/assets/main-1a.js');
    expect(header('content-security-policy')).toBe("default-src 'none'");
    expect(header('x-content-type-options')).toBe('nosniff');
    expect(header('x-frame-options')).toBe('DENY');
    expect(header('referrer-policy')).toBe('no-referrer');
    expect(header('cross-origin-resource-policy')).toBe('same-origin');
    expect(header('cross-origin-opener-policy')).toBe('same-origin');
    for (const name of ['strict-transport-security', 'origin-agent-cluster', 'x-xss-protection']) {
      expect(header(name)).toBeNull();
    }
  });

  test('is found by its own name only, and what is not there may not be kept for ever', async () => {
    for (const path of [
      '/assets/nothing.js',
      '/assets/main-1a.js.br',
      '/assets/main-1a.js.gz',
      '/assets/..%2findex.html',
      '/assets/..%2Ffavicon.svg',
      '/assets/%2e%2e%2fbuilt-from',
      '/assets/main-1a.js%00.css',
      '/assets/',
      '/built-from',
      '/index.html',
    ]) {
      const answer = await get(path, 'br');
      expect([path, answer.status]).toEqual([path, 404]);
      expect(JSON.parse(answer.bytes.toString())).toMatchObject({ error: { code: 'not_found' } });
      expect(answer.header('cache-control')).toBeNull();
    }
  });
});

describe('the document', () => {
  test('carries the nonce that its policy lets styles in by, another one each time', async () => {
    const nonces = new Set<string>();
    for (const path of ['/', '/events', '/settings/keys']) {
      const { status, header, bytes } = await get(path, 'br');
      expect([status, header('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(header('cache-control')).toBe('no-store');
      const [, nonce = ''] = /content="([^"]+)"/.exec(bytes.toString()) ?? [];
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      expect(header('content-security-policy')).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  test('that has not been built is a 404 that says how to build it', async () => {
    const empty = serve(join(folder, 'nowhere'));
    const answer = await fetch(`http://127.0.0.1:${empty.port}/events`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('npm run build');
    await empty.cut();
  });
});
