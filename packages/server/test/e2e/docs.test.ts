import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { declarations } from '../../src/settings.ts';
import { sluiceCommand } from '../support/executable.ts';
import { readText, shellBlocks, workspace } from '../support/markdown-blocks.ts';
import { pasteCommands, unknownWords } from '../support/pasted-commands.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

const root = workspace;
const markdownBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join(folder, file));

/** Every page that people read. */
const pages = [
  ...readdirSync(root).filter(file => file.endsWith('.md')),
  ...['docs', 'examples'].flatMap(markdownBelow),
  'packages/sdk/README.md',
];

describe('the commands of', () => {
  let service: TestService;
  let seed: Seed;
  let source: { token: string; secret: string };
  beforeAll(async () => {
    service = await startTestService();
    seed = await seedOrganisation(service.engine);
    source = await seed.source('hmac');
  });
  afterAll(() => service.stop());

  /**
   * Each curl tells the status that it got, but one that another command reads (`-s`); the rest is as somebody would paste
   * it who has filled in the blanks.
   */
  const answering = [
    `curl() { if [ "$1" = -s ]; then command curl "$@"; else`,
    `command curl --silent --output /dev/null --write-out '%{http_code} %{url_effective}\\n' "$@"; fi; }`,
  ].join('\n');
  const fillIn = (commands: string) =>
    commands
      .replaceAll('http://localhost:8080', service.url)
      .replaceAll('the-secret-of-your-key', seed.apiKey)
      .replaceAll('the-address-of-your-source', `${service.url}/whk/${source.token}`)
      .replaceAll('the-secret-of-your-source', source.secret);

  const paste = async (written: string) => {
    const { output, calls } = await pasteCommands(`${answering}\n${fillIn(written)}`);
    return { lines: output.trim().split('\n').filter(Boolean), calls };
  };

  test('docs/command.md do what they say, as they are written', async () => {
    const written = shellBlocks('docs/command.md').join('\n');
    const sluice = `sluice() { "${sluiceCommand().join('" "')}" "$@"; }`;
    const { lines } = await paste(`${sluice}\n${written}\nls completions`);
    expect(lines.map(line => line.replace(/in [\d.]+ s/, 'in 0 s'))).toEqual([
      '1 sent, 0 refused, in 0 s.',
      '2 sent, 0 refused, in 0 s.',
      '1 sent, 0 refused, in 0 s.',
      '_sluice',
      'sluice',
      'sluice.fish',
    ]);
  });

  /** What was made is there the second time. */
  const asAgain = (answer: string) => answer.replace(/^201 /, '200 ');

  // On one service, in the order that a newcomer reads them: one page must not get in the way of the next.
  const first = ['README.md', 'docs/sending-events.md', 'docs/entities.md', 'docs/webhooks-in.md'];
  /** Carried out by tests of their own. */
  const elsewhere =
    /^docs\/(cookbook\/.*|command|deploying|upgrading|verifying|reference\/api)\.md$|^examples\//;
  const others = pages.filter(page => !first.includes(page) && !elsewhere.test(page));
  for (const page of [...first, ...others].filter(one => shellBlocks(one).length > 0)) {
    test(`${page} run one after the other, as they are written, and every request is accepted`, async () => {
      const written = shellBlocks(page).join('\n');
      const { lines, calls } = await paste(written);
      expect(lines.length).toBe(written.match(/^curl /gm)?.length ?? 0);
      expect(lines.filter(answer => !/^20[012] /.test(answer))).toEqual([]);
      if (page === 'docs/entities.md') expect((await paste(written)).lines).toEqual(lines.map(asAgain));
      expect(unknownWords(calls)).toEqual([]);
      expect(lines.length + calls.length).toBeGreaterThan(0);
    });
  }

  test('docs/reference/api.md are each accepted, as they are written, by a service that has what they name', async () => {
    const call = (method: string, path: string, body?: object) =>
      fetch(`${service.url}/v1/entities/${path}`, {
        method,
        headers: { Authorization: `Bearer ${seed.apiKey}`, 'Content-Type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
    const given = `KEY=${seed.apiKey}\nSOURCE_SECRET=${source.secret}\nSOURCE_TOKEN=${source.token}\n`;
    const examples = shellBlocks('docs/reference/api.md');
    expect(examples.length).toBeGreaterThan(10);
    for (const example of examples) {
      await call('DELETE', 'customer/c_42');
      for (let version = 1; version <= 3; version++) await call('PUT', 'customer/c_42', { traits: {} });
      await call('PUT', 'device/d_7', { traits: {} });
      await call('PUT', 'customer/c_42/links/same_as/device/d_7');
      // People paste a command again; only what is deleted is gone then.
      const times = example.includes('-X DELETE') ? 1 : 2;
      const { lines } = await paste(given + `${example}\n`.repeat(times));
      expect([example, lines.filter(answer => /^20[0-4] /.test(answer)).length]).toEqual([example, times]);
    }
  });
});

describe('every guide', () => {
  for (const guide of pages) {
    test(`${guide} links to files and headings that are there`, () => {
      const links = [...proseOf(guide).matchAll(/(?:\]\(|srcset="|src=")(?!https?:)([^)"\s]+)/g)];
      const broken = links.map(([, link = '']) => link).filter(link => !leadsSomewhere(guide, link));
      expect(broken).toEqual([]);
    });

    // Sluice refuses to start while a name that it does not know is exported, so no guide may invent one.
    test(`${guide} names settings that there are`, () => {
      const known = new Set([...Object.keys(declarations), 'SLUICE_DEV_SERVER', 'SLUICE_TEST_DATABASE_URL']);
      const named = readText(guide).match(/\bSLUICE_\w*[A-Z]\b/g) ?? [];
      expect(named.filter(name => !known.has(name))).toEqual([]);
    });

    // A blank line in its midst leaves the rows after it without a head, and they are shown as text.
    test(`${guide} has a head on every table`, () => {
      const tables = [...proseOf(guide).matchAll(/(?:^ *\|.*\n?)+/gm)].map(([table]) => table.split('\n'));
      const headless = tables.filter(([, rule = '']) => !/^ *(\| *:?-+:? *)+\|$/.test(rule));
      expect(headless.map(([first]) => first)).toEqual([]);
    });

    if (!guide.startsWith('docs/')) continue;
    test(`${guide} names tests that there are`, () => {
      // `e2e/x.test.ts`, `torture/invariants/x.ts`; `x` and `y` in `test/e2e/`.
      const text = readText(guide);
      const files = [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)].map(([, file = '']) => file);
      const listed = [...text.matchAll(/((?:`[\w-]+`[^`.]*)+)in `(test\/\w+)\/`/g)].flatMap(
        ([, names = '', folder]) =>
          [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => `${folder}/${name}.test.ts`),
      );
      const below = ['packages/server', 'packages/server/test'].map(folder => join(root, folder));
      const isThere = (file: string) => below.some(folder => existsSync(join(folder, file)));
      expect([...files, ...listed].filter(file => !isThere(file))).toEqual([]);
    });
  }
});

const proseOf = (guide: string): string => readText(guide).replaceAll(/^```[\s\S]*?^```/gm, '');

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** As GitHub makes them: small letters, no punctuation, a hyphen for each blank, and a number where one repeats. */
function anchorsOf(guide: string): string[] {
  const headings = [...proseOf(guide).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return headings.map((anchor, i) => {
    const before = headings.slice(0, i).filter(earlier => earlier === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}
