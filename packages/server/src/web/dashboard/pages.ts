import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageNames } from '@sluice/contract/dashboard-pages';
import type { Context, Hono } from 'hono';
import { serveStatic } from 'hono/serve-static';
import { Problem } from '../../core/errors.ts';
import type { WebEnv } from '../env.ts';
import { assetHeaders, documentHeaders } from './headers.ts';

/** The files that the dashboard was built into: `index.html`, `assets/x.js`. Null where there is no such file. */
export type ReadPageFile = (name: string) => Promise<Uint8Array<ArrayBuffer> | null>;

/** From the folder that they were built into. */
export const pagesIn =
  (folder: string): ReadPageFile =>
  name =>
    readFile(join(folder, name)).catch(() => null);

/**
 * The dashboard's pages: one document, whatever the page, and the files that it asks for. They are built and
 * compressed by `npm start` and read from there, or inside the executable; names of files change with their contents, so browsers may keep
 * them for ever.
 */
export function addPages(app: Hono<WebEnv>, read: ReadPageFile): void {
  const answerDocument = async (context: Context<WebEnv>) => {
    const nonce = context.get('secureHeadersNonce');
    const document = await readDocument(read);
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
    root: '',
    join,
    mimes,
    precompressed: true,
    getContent: path => read(path.replace(/^\//, '')),
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

async function readDocument(read: ReadPageFile): Promise<string> {
  const file = await read('index.html');
  if (file !== null) return new TextDecoder().decode(file);
  throw new Problem('not_found', {
    message: 'The dashboard has not been built here. "npm start" builds it, and so does "npm run build".',
  });
}
