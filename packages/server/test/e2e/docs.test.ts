import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { declarations } from '../../src/settings.ts';
import { newFolder } from '../support/folder.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

const root = join(import.meta.dir, '../../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

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

  /** Each curl tells the status that it got; the rest is as somebody would paste it who has filled in the blanks. */
  const answering = `curl() { command curl --silent --output /dev/null --write-out '%{http_code} %{url_effective}\\n' "$@"; }`;
  const fillIn = (commands: string) =>
    commands
      .replaceAll('http://localhost:8080', service.url)
      .replaceAll('the-secret-of-your-key', seed.apiKey)
      .replaceAll('the-address-of-your-source', `${service.url}/whk/${source.token}`)
      .replaceAll('the-secret-of-your-source', source.secret);

  async function paste(commands: string): Promise<string[]> {
    const shell = Bun.spawn(['bash', '-eu', '-o', 'pipefail', '-c', `${answering}\n${fillIn(commands)}`], {
      cwd: newFolder(),
      env: { PATH: process.env.PATH },
    });
    const output = await new Response(shell.stdout).text();
    expect(await shell.exited, output).toBe(0);
    return output.trim().split('\n');
  }

  test('docs/command.md do what they say, as they are written', async () => {
    const commands = shellBlocks('docs/command.md').join('\n');
    const sluice = `sluice() { "${process.execPath}" "${join(root, 'packages/server/src/main.ts')}" "$@"; }`;
    const output = await paste(`${sluice}\n${commands}\nls completions`);
    expect(output.map(line => line.replace(/in [\d.]+ s/, 'in 0 s'))).toEqual([
      '1 sent, 0 refused, in 0 s.',
      '2 sent, 0 refused, in 0 s.',
      '1 sent, 0 refused, in 0 s.',
      '_sluice',
      'sluice',
      'sluice.fish',
    ]);
  });

  // On one service, in the order that a newcomer reads them: one page must not get in the way of the next.
  for (const guide of ['README.md', 'docs/sending-events.md', 'docs/entities.md', 'docs/webhooks-in.md']) {
    test(`${guide} are accepted one after the other, as they are written`, async () => {
      const commands = shellBlocks(guide)
        .filter(block => !/^np[mx] /.test(block))
        .join('\n');
      const answers = await paste(commands);
      expect(answers.length).toBe(commands.match(/^curl /gm)?.length ?? 0);
      expect(answers.filter(answer => !/^20[012] /.test(answer))).toEqual([]);
    });
  }
});

describe('every guide', () => {
  const guides = [
    ...readdirSync(root).filter(file => file.endsWith('.md')),
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.md'))
      .map(file => join('docs', file)),
  ];
  for (const guide of guides) {
    test(`${guide} links to files and headings that are there`, () => {
      const links = [...proseOf(guide).matchAll(/(?:\]\(|srcset="|src=")(?!https?:)([^)"\s]+)/g)];
      const broken = links.map(([, link = '']) => link).filter(link => !leadsSomewhere(guide, link));
      expect(broken).toEqual([]);
    });

    // Sluice refuses to start while a name that it does not know is exported, so no guide may invent one.
    test(`${guide} names settings that there are`, () => {
      const known = new Set([...Object.keys(declarations), 'SLUICE_DEV_SERVER', 'SLUICE_TEST_DATABASE_URL']);
      const named = read(guide).match(/\bSLUICE_\w*[A-Z]\b/g) ?? [];
      expect(named.filter(name => !known.has(name))).toEqual([]);
    });
  }
});

function shellBlocks(guide: string): string[] {
  return [...read(guide).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
}

const proseOf = (guide: string): string => read(guide).replaceAll(/^```[\s\S]*?^```/gm, '');

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
