import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pageNames } from '@sluice/contract/dashboard-pages';
import type { Context, Hono } from 'hono';
import { Problem } from '../../core/errors.ts';
import type { WebEnv } from '../env.ts';
import { secure } from './headers.ts';

/**
 * The dashboard's pages: one document, whatever the page, and the files that it asks for. They are built by
 * `npm start` and read from there; names of files change with their contents, so browsers may keep them for ever.
 */
export function addPages(app: Hono<WebEnv>, builtIn: string): void {
  const assets = new Map<string, Asset>();

  const answerDocument = () => {
    const document = readDocument(builtIn);
    const nonce = randomBytes(16).toString('base64');
    const response = new Response(
      document.replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`),
      {
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
      },
    );
    secure(response.headers, policyFor(nonce));
    return response;
  };
  app.get('/', answerDocument);
  for (const name of pageNames) {
    app.get(`/${name}`, answerDocument);
    app.get(`/${name}/*`, answerDocument);
  }

  const answerAsset = (context: Context<WebEnv>) => {
    const { path } = context.req;
    const asset = assets.get(path) ?? readAsset(builtIn, path);
    assets.set(path, asset);
    const zips = asset.zipped !== null && context.req.header('Accept-Encoding')?.includes('gzip');
    const response = new Response(zips ? asset.zipped : asset.bytes, {
      headers: {
        'Content-Type': asset.type,
        ...(zips ? { 'Content-Encoding': 'gzip' } : {}),
        Vary: 'Accept-Encoding',
      },
    });
    secure(response.headers, "default-src 'none'");
    response.headers.set(
      'Cache-Control',
      asset.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
    return response;
  };
  app.get('/assets/:file', answerAsset);
  app.get('/favicon.svg', answerAsset);
}

/** Nothing but what this server sends: no other host, no script in the page, no style without our word. */
const policyFor = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

function readDocument(builtIn: string): string {
  const file = join(builtIn, 'index.html');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new Problem('not_found', {
    message: 'The dashboard has not been built here. "npm start" builds it, and so does "npm run build".',
  });
}

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Null where zipping saves nothing. */
  readonly zipped: Uint8Array<ArrayBuffer> | null;
  readonly type: string;
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

function readAsset(builtIn: string, path: string): Asset {
  const [, extension = ''] = /^\/(?:assets\/)?[\w.-]+\.(\w+)$/.exec(path) ?? [];
  const type = types[extension];
  const file = join(builtIn, path);
  if (type === undefined || !existsSync(file)) throw new Problem('not_found');
  const bytes = new Uint8Array(readFileSync(file));
  return {
    bytes,
    zipped: extension === 'woff2' ? null : new Uint8Array(gzipSync(bytes, { level: 9 })),
    type,
    isHashed: path.startsWith('/assets/'),
  };
}
