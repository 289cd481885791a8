import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { renderDocsPage } from './api-docs/page.ts';
import { DOCS_STYLE } from './api-docs/style.ts';
import { type ClientSettings, clientOf } from './client.ts';
import type { WebEnv } from './env.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import type { DocumentedLimits } from './openapi/limits.ts';
import { publicOperations } from './openapi/operations.ts';

/** The page may be styled by its own sheet, known by its hash, and do nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/v1/openapi.json` for programs and `/docs` for people. */
export function addApiDocs(
  app: Hono<WebEnv>,
  options: { limits: DocumentedLimits; version: string; client: ClientSettings },
): void {
  const operations = publicOperations(options.limits);
  const document = createOpenApiDocument(options.limits, options.version, options.client.baseUrl);

  app.get('/v1/openapi.json', () =>
    // Public, and of use to tools that run in other pages.
    Response.json(document, { headers: { 'Access-Control-Allow-Origin': '*' } }),
  );
  app.get('/docs', async context => {
    const { baseUrl } = clientOf(context.req.raw, context.env, options.client);
    return new Response(String(await renderDocsPage(document, operations, baseUrl)), {
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      },
    });
  });
}
