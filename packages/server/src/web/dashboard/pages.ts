import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageNames } from '@sluice/contract/dashboard-pages';
import type { Context, Hono } from 'hono';
import { serveStatic } from 'hono/serve-static';
import { Problem } from '../../core/errors.ts';
import type { WebEnv } from '../env.ts';
import { assetHeaders, documentHeaders } from './headers.ts';

/**
 * The dashboard's pages: one document, whatever the page, and the files that it asks for. They are built and
 * compressed by `npm start` and read from there; names of files change with their contents, so browsers may keep
 * them for ever.
 */
export function addPages(app: Hono<WebEnv>, builtIn: string): void {
  const answerDocument = (context: Context<WebEnv>) => {
    const nonce = context.get('secureHeadersNonce');
    const document = readDocument(builtIn);
    return context.body(
      document.replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`),
      200,
      { 'Content-Type': 'text/html; charset=utf-8' },
    );
  };
  app.get('/', documentHeaders, answerDocument);
  for (const name of pageNames) {
    app.get(`/${name}`, documentHeaders, answerDocument);
    app.get(`/${name}/*`, documentHeaders, answerDocument);
  }

  const answerFile = serveStatic<WebEnv>({
    root: builtIn,
    join,
    mimes,
    precompressed: true,
    getContent: async path => (existsSync(path) ? readFile(path) : null),
    onFound(_path, context) {
      const isHashed = context.req.path.startsWith('/assets/');
      context.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      // Also where nothing was compressed: what is cached for one browser must not be answered to another.
      context.header('Vary', 'Accept-Encoding');
    },
    onNotFound() {
      throw new Problem('not_found');
    },
  });
  const extensions = Object.keys(mimes).join('|');
  app.get(`/assets/:file{[\\w.-]+\\.(?:${extensions})}`, assetHeaders, answerFile);
  app.get('/favicon.svg', assetHeaders, answerFile);
}

const mimes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

function readDocument(builtIn: string): string {
  const file = join(builtIn, 'index.html');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new Problem('not_found', {
    message: 'The dashboard has not been built here. "npm start" builds it, and so does "npm run build".',
  });
}
