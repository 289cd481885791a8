import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { guides, guidesOfSettings } from '../../../dashboard/src/lib/guides.ts';
import { createLibrary } from '../../src/web/guide/library.ts';
import { searchGuide } from '../../src/web/guide/search.ts';
import { readText, workspace } from '../support/markdown-blocks.ts';
import { startTestService, type TestService } from '../support/service.ts';

const files = readdirSync(join(workspace, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md'))
  .map(name => name.slice(0, -'.md'.length));

let service: TestService;
/** Every page by its address. */
const pages = new Map<string, string>();
beforeAll(async () => {
  service = await startTestService();
  for (const path of ['', ...files]) {
    const answer = await fetch(`${service.url}/docs/guide/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    pages.set(`/docs/guide/${path}`, await answer.text());
  }
});
afterAll(() => service.stop());

const attributes = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

describe('the guide', () => {
  test('has a page for every Markdown file in docs/, by its own title, and all of them beside each page', () => {
    for (const path of files) {
      const title = /^# (.+)$/m.exec(readText(`docs/${path}.md`))?.[1]?.replaceAll(/[`*]/g, '') ?? '';
      const page = pages.get(`/docs/guide/${path}`) ?? '';
      expect(/<title>(.*) · Sluice<\/title>/.exec(page)?.[1]).toBe(Bun.escapeHTML(title));
      expect(page).toContain('aria-current="page"');
      for (const other of files) expect(page).toContain(`href="/docs/guide/${other}"`);
    }
  });

  test('links to pages, headings and pictures that are there, and else only to https', async () => {
    const broken: string[] = [];
    const others = new Map<string, Promise<boolean>>();
    const isThere = (path: string): Promise<boolean> => {
      const known = others.get(path) ?? fetch(`${service.url}${path}`).then(({ ok }) => ok);
      others.set(path, known);
      return known;
    };
    for (const [address, page] of pages) {
      for (const link of [...attributes(page, 'href'), ...attributes(page, 'src')]) {
        if (link === 'data:,' || link.startsWith('https://')) continue;
        const [path = '', anchor] = link.split('#');
        const target = pages.get(path === '' ? address : path);
        if (target === undefined && !(await isThere(path))) broken.push(`${address}: ${link}`);
        if (anchor !== undefined && !target?.includes(`id="${anchor}"`)) broken.push(`${address}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('fetches nothing from anywhere, runs nothing, and is held to that by its policy', async () => {
    for (const [address, page] of pages) {
      expect([
        address,
        page.match(/<(script|iframe|object|embed|link rel="stylesheet)\b|@import|\son\w+=/i),
      ]).toEqual([address, null]);
      for (const source of attributes(page, 'src')) expect(source).toMatch(/^\/docs\/guide\//);
    }
    const answer = await fetch(`${service.url}/docs/guide/concepts`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(await answer.text())?.[1] ?? '';
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*|script-src/);
  });

  test('finds pages by the words of their headings, and shows what was asked as text', async () => {
    const ask = async (words: string) =>
      (await fetch(`${service.url}/docs/guide/?q=${encodeURIComponent(words)}`)).text();
    expect(await ask('when a node dies')).toContain('href="/docs/guide/operating#when-a-node-dies"');
    expect(await ask('stripe slack')).toContain('cookbook/stripe-to-slack');
    const hostile = await ask('"><b>x');
    expect(hostile).toContain('&quot;&gt;&lt;b&gt;x');
    expect(hostile).not.toContain('<b>x');
  });

  test('answers 404 in words for anything else, be it a file of ours', async () => {
    for (const path of ['nothing', 'concepts/', '..%2fpackage.json', 'pictures/none.svg', 'constructor']) {
      const answer = await fetch(`${service.url}/docs/guide/${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toContain('Page not found');
    }
    const named = await fetch(`${service.url}/docs/guide/pipelines.md`, { redirect: 'manual' });
    expect(named.headers.get('location')).toBe('/docs/guide/pipelines');
  });

  test('has a page for each page of the dashboard', () => {
    for (const guide of [...Object.values(guides), ...Object.values(guidesOfSettings)])
      expect(files).toContain(guide);
  });
});

describe('the library', () => {
  const libraryOf = (texts: Record<string, string>) =>
    createLibrary({
      list: async () => Object.keys(texts),
      read: async name => new TextEncoder().encode(texts[name] ?? ''),
    })();

  test('takes up a page that nobody has entered anywhere', async () => {
    const library = await libraryOf({
      'concepts.md': '# Concepts\n',
      'scaling.md': '# Scaling\n\nMore of it.\n\n## Two nodes\n',
      'notes/x.txt': 'no page',
    });
    const placed = library.sections.map(({ title, pages: inside }) => [
      title,
      inside.map(({ path }) => path),
    ]);
    expect(placed).toEqual([
      ['Start here', ['concepts']],
      ['More guides', ['scaling']],
    ]);
    expect(searchGuide(library, 'NODES')[0]?.places.map(({ heading }) => heading.id)).toEqual(['two-nodes']);
  });

  test('finds what is written below a heading, with the words around it, after what is in titles and headings', async () => {
    const filler = 'Nothing of it. '.repeat(20);
    const library = await libraryOf({
      'a.md': `# A\n\n## Deep\n\n${filler}A \`429\` says so | and <so>.\n\n${filler}`,
      'b.md': '# B\n\nAbout something else.\n\n## Status 429\n',
      'c.md': '# 429\n',
      'd.md': '# D\n\n| Code | Means |\n|---|---|\n| 428 | other |\n',
    });
    const found = searchGuide(library, '429');
    expect(found.map(({ page }) => page.path)).toEqual(['c', 'b', 'a']);
    expect(found[2]?.places).toHaveLength(1);
    expect(found[2]?.places[0]?.heading.id).toBe('deep');
    expect(found[2]?.places[0]?.excerpt).toMatch(/^… .*A 429 says so \| and <so>\..* …$/);
    expect(searchGuide(library, '428 means')[0]?.page.path).toBe('d');
    expect(searchGuide(library, '430')).toEqual([]);
  });

  test('lets no link lead out of the guide, other than to https', async () => {
    const library = await libraryOf({
      'a/b.md':
        '# B\n\n[1](../c.md#d) [2](../../secret.md) [3](http://x.example) [4](https://x.example) [5](//x.example)\n',
      'c.md': '# C\n',
    });
    const { html = '' } = library.find('a/b') ?? {};
    expect(attributes(html, 'href')).toEqual(['/docs/guide/c#d', 'https://x.example']);
  });
});
