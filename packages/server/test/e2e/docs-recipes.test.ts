import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signBody } from '../../src/delivery/sign.ts';
import { seedOrganisation, startTestService, type TestService } from '../support/service.ts';

const root = join(import.meta.dir, '../../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The blocks of that language below a heading, as they would be pasted. */
function blocks(file: string, heading: string, language: string): string[] {
  const section =
    read(file)
      .split(/^#+ /m)
      .find(part => part.startsWith(heading)) ?? '';
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );
}

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

describe('the recipes for verifying a delivery', () => {
  const recipes = [
    ['Verify with Node', 'js', (code: string) => ['node', '--input-type=module', '--eval', code]],
    ['Verify with Python', 'python', (code: string) => ['python3', '-c', code]],
    ['Verify with openssl', 'sh', (code: string) => ['bash', '-eu', '-o', 'pipefail', '-c', code]],
  ] as const;
  const verdict = async (command: string[], signature: string, body: string) => {
    const recipe = Bun.spawn(command, {
      env: { PATH: process.env.PATH, SIGNATURE: signature, SECRET: 'whsec_first' },
      stdin: Buffer.from(body),
      stderr: 'inherit',
    });
    return (await new Response(recipe.stdout).text()).trim();
  };
  const body = '{"type":"order.paid","payload":{"note":"Größe 42 — 9007199254740993"}}';

  for (const [heading, language, command] of recipes) {
    test(`${heading}: what we sign is genuine, and nothing else`, async () => {
      const [code = ''] = blocks('docs/destinations.md', heading, language);
      const run = command(code);
      const now = Date.now();
      expect(await verdict(run, signBody(['whsec_first'], body, now), body)).toBe('genuine');
      expect(await verdict(run, signBody(['whsec_next', 'whsec_first'], body, now), body)).toBe('genuine');
      expect(await verdict(run, signBody(['whsec_first'], body, now), `${body} `)).toBe('forged');
      expect(await verdict(run, signBody(['whsec_other'], body, now), body)).toBe('forged');
    }, 30_000);
  }
});
