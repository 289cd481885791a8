import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signBody } from '../../src/delivery/sign.ts';
import { newFolder } from '../support/folder.ts';
import { blocksIn, workspace } from '../support/markdown-blocks.ts';
import { seedOrganisation, startTestService, type TestService } from '../support/service.ts';

/** The blocks of that language below a heading, as they would be pasted. */
const blocks = (file: string, heading: string, language: string): string[] =>
  blocksIn(file)
    .filter(block => block.heading === heading && block.language === language)
    .map(({ text }) => text);

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('the recipes for signing a webhook', () => {
  const recipes = [
    ['Shell', 'sh', (code: string) => ['bash', '-eu', '-o', 'pipefail', '-c', code]],
    ['Node', 'js', (code: string) => ['node', '--input-type=module', '--eval', code]],
    ['Python', 'python', (code: string) => ['python3', '-c', code]],
  ] as const;
  for (const [heading, language, command] of recipes) {
    test(`in ${heading} are accepted as they are written`, async () => {
      const seed = await seedOrganisation(service.engine);
      const source = await seed.source('hmac');
      const [code = ''] = blocks('docs/webhooks-in.md', heading, language);
      const sender = Bun.spawn(command(code), {
        env: {
          PATH: process.env.PATH,
          SOURCE_SECRET: source.secret,
          SOURCE_URL: `${service.url}/whk/${source.token}`,
        },
        stderr: 'ignore',
      });
      expect(await new Response(sender.stdout).text()).toMatch(/evt_[0-9A-Z]{26}/);
      const { events } = await service.engine.journal.listEvents(
        seed.orgId,
        {},
        { limit: 5, below: null, budgetMs: 1_000 },
      );
      expect(events.map(({ type }) => type)).toEqual(['parcel.sent']);
    });
  }
});

/** How a program of docs/verifying.md is run: what it is kept as, what makes it ready, and the command. */
interface Language {
  readonly heading: string;
  readonly language: string;
  readonly file: string;
  /** Without it the program is not run, and the test says so. */
  readonly needs: string;
  readonly build?: readonly string[];
  readonly command: readonly string[];
}

const languages: readonly Language[] = [
  {
    heading: 'With our SDK',
    language: 'ts',
    file: 'sdk.ts',
    needs: 'node',
    command: [process.execPath, 'sdk.ts'],
  },
  {
    heading: "With Stripe's library",
    language: 'js',
    file: 'stripe.mjs',
    needs: 'node',
    command: ['node', 'stripe.mjs'],
  },
  {
    heading: 'TypeScript',
    language: 'ts',
    file: 'verify.ts',
    needs: 'node',
    command: [process.execPath, 'verify.ts'],
  },
  {
    heading: 'Python',
    language: 'python',
    file: 'verify.py',
    needs: 'python3',
    command: ['python3', 'verify.py'],
  },
  {
    heading: 'Go',
    language: 'go',
    file: 'verify.go',
    needs: 'go',
    build: ['go', 'build', '-o', 'verify', 'verify.go'],
    command: ['./verify'],
  },
  {
    heading: 'Java',
    language: 'java',
    file: 'Verify.java',
    needs: 'javac',
    build: ['javac', 'Verify.java'],
    command: ['java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', 'Verify'],
  },
  { heading: 'Ruby', language: 'ruby', file: 'verify.rb', needs: 'ruby', command: ['ruby', 'verify.rb'] },
  { heading: 'PHP', language: 'php', file: 'verify.php', needs: 'php', command: ['php', 'verify.php'] },
  {
    heading: 'Shell',
    language: 'sh',
    file: 'verify.sh',
    needs: 'openssl',
    command: ['bash', '-eu', '-o', 'pipefail', 'verify.sh'],
  },
];

describe('the programs of docs/verifying.md', () => {
  const PAGE = 'docs/verifying.md';
  const body = '{"type":"order.paid","payload":{"note":"Größe 42 — 9007199254740993"}}';
  const folder = newFolder();
  // As `npm install` would lay them out.
  mkdirSync(join(folder, 'node_modules/@sluice/sdk'), { recursive: true });
  symlinkSync(join(workspace, 'node_modules/stripe'), join(folder, 'node_modules/stripe'));
  const sdk = join(workspace, 'packages/sdk/src/index.ts');
  writeFileSync(join(folder, 'node_modules/@sluice/sdk/index.ts'), `export * from '${sdk}';\n`);

  const run = async (command: readonly string[], env: Record<string, string>, input = '') => {
    const program = Bun.spawn([...command], {
      cwd: folder,
      // Nothing is fetched, be another version of Go asked for.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, GOTOOLCHAIN: 'local', ...env },
      stdin: Buffer.from(input),
      stderr: 'inherit',
    });
    const said = (await new Response(program.stdout).text()).trim();
    return (await program.exited) === 0 ? said : `ended with ${program.exitCode}: ${said}`;
  };

  const isAtHand = ({ needs }: Language) => Bun.which(needs) !== null;
  for (const language of languages.filter(isAtHand)) {
    test(`in the section "${language.heading}" take what we sign for genuine, and nothing else`, async () => {
      const [program = ''] = blocks(PAGE, language.heading, language.language);
      expect(program).not.toBe('');
      writeFileSync(join(folder, language.file), program);
      if (language.build !== undefined) expect(await run(language.build, {})).toBe('');
      const verdict = (signature: string, received = body) =>
        run(language.command, { SIGNATURE: signature, SECRET: 'whsec_first' }, received);
      const now = Date.now();
      expect(await verdict(signBody(['whsec_first'], body, now))).toBe('genuine');
      expect(await verdict(signBody(['whsec_next', 'whsec_first'], body, now))).toBe('genuine');
      expect(await verdict(signBody(['whsec_first'], body, now), `${body} `)).toBe('forged');
      expect(await verdict(signBody(['whsec_other'], body, now))).toBe('forged');
      expect(await verdict(signBody(['whsec_first'], body, now - 3_600_000))).toBe('forged');
    });
  }

  test('are there for every language, and those that this machine cannot run are told', () => {
    const headings = new Set(blocksIn(PAGE).map(({ heading }) => heading));
    expect(languages.filter(({ heading }) => !headings.has(heading))).toEqual([]);
    const absent = languages.filter(language => !isAtHand(language)).map(({ heading }) => heading);
    if (absent.length > 0)
      console.log(`docs/verifying.md, not run for want of the language: ${absent.join(', ')}`);
  });
});
