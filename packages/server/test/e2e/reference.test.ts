import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLimits } from '../../../../scripts/reference/api.ts';
import { referencePages } from '../../../../scripts/reference/pages.ts';
import { VERSION } from '../../src/core/version.ts';
import { renderDocsPage } from '../../src/web/api-docs/page.ts';
import { createOpenApiDocument } from '../../src/web/openapi/document.ts';
import { publicOperations } from '../../src/web/openapi/operations.ts';
import { startTestService, type TestService } from '../support/service.ts';

const root = join(import.meta.dir, '../../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SLUICE_MAX_BATCH_EVENTS: '77' } });
});
afterAll(() => service.stop());

describe('the reference page', () => {
  test('fetches nothing from anywhere, and runs nothing', async () => {
    const page = await (await fetch(`${service.url}/docs`)).text();
    const targets = [...page.matchAll(/\b(?:href|src|srcset|action|data|poster)\s*=\s*"([^"]*)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(targets.length).toBeGreaterThan(5);
    for (const target of targets) expect(target).toMatch(/^(#|\/(?!\/)|data:,$)/);
    expect(page).not.toMatch(/<(script|iframe|img|object|embed)\b|@import|url\(|\son\w+=/i);
  });

  test('is served under a policy that allows its one style sheet and nothing else', async () => {
    const response = await fetch(`${service.url}/docs`);
    const policy = response.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(await response.text())?.[1] ?? '';
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test('shows every public call, the limits in force and each code', async () => {
    const page = await (await fetch(`${service.url}/docs`)).text();
    for (const text of [
      '/v1/ingest',
      '/whk/{token}',
      'X-Ingest-Signature',
      'rate_limited',
      '1 to 77 items',
    ]) {
      expect(page).toContain(text);
    }
  });

  test('shows the address it was reached by, as text and never as markup', async () => {
    const response = await fetch(`${service.url}/docs`, { headers: { Host: 'events.example.com' } });
    expect(await response.text()).toContain('http://events.example.com/v1/ingest');
    const limits = defaultLimits();
    const page = await renderDocsPage(
      createOpenApiDocument(limits, VERSION),
      publicOperations(limits),
      'http://x"><b>',
    );
    expect(String(page)).toContain('http://x&quot;&gt;&lt;b&gt;/v1/ingest');
    expect(String(page)).not.toContain('"><b>');
  });
});

describe('the OpenAPI document', () => {
  test('is served as JSON with the limits in force', async () => {
    const response = await fetch(`${service.url}/v1/openapi.json`);
    expect(response.headers.get('content-type')).toStartWith('application/json');
    const document = (await response.json()) as {
      components: { schemas: { IngestRequest: { properties: { events: { maxItems: number } } } } };
    };
    expect(document.components.schemas.IngestRequest.properties.events.maxItems).toBe(77);
  });

  test('has for each path the methods that are answered there, and no others', async () => {
    const operations = publicOperations(defaultLimits());
    const byPath = Map.groupBy(operations, ({ path }) => path);
    expect(byPath.size).toBeGreaterThan(5);
    for (const [path, documented] of byPath) {
      const answer = await fetch(`${service.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method: 'OPTIONS' });
      expect([path, answer.status]).toEqual([path, 405]);
      const methods = documented.map(({ method }) => method.toUpperCase());
      expect([path, answer.headers.get('allow')?.split(', ').sort()]).toEqual([path, methods.sort()]);
    }
  });
});

describe('what is written of the code', () => {
  test('in docs/reference is what the code says now (else: npm run reference)', () => {
    const pages = referencePages();
    for (const [name, text] of Object.entries(pages)) expect(read(`docs/reference/${name}`)).toBe(text);
    const files = readdirSync(join(root, 'docs/reference'), { recursive: true, encoding: 'utf8' });
    expect(files.filter(file => file.endsWith('.md') && !(file in pages))).toEqual([]);
  });

  test('as its version is that of the package', () => {
    expect(JSON.parse(read('packages/server/package.json')).version).toBe(VERSION);
    expect(JSON.parse(read('package.json')).version).toBe(VERSION);
  });
});
