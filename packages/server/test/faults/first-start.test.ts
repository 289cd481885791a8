import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { keepSecretKey } from '../../src/runtime/secret-key.ts';
import { openStorage } from '../../src/storage/open.ts';
import { NotStarted, refusedStart, startProcess, tampering } from '../support/process.ts';
import { seedOrganisation, temporaryDirectory } from '../support/service.ts';

/** Without it the key is made at the first start, as for a newcomer. */
const settings = { SLUICE_SECRET_KEY: '' };

/** What the next start does first, and whether it can be worked with after that. */
async function expectUsable(directory: string): Promise<void> {
  expect(keepSecretKey(directory)).toHaveLength(43);
  const engine = await openStorage({
    directory,
    databaseUrl: undefined,
    onFatal: reason => {
      throw new Error(reason);
    },
  });
  const { orgId } = await seedOrganisation(engine);
  expect(await engine.configuration.listApiKeys(orgId)).toHaveLength(1);
  await engine.close();
}

describe('killed during the first start and its migrations, the next start completes', () => {
  // A first start makes some 300 writes and 20 flushes. The unlinks are those of the key and of the journals.
  const moments: [call: string, counts: number[]][] = [
    ['link', [1]],
    ['unlink', [1, 2, 3]],
    ['fsync', [1, 2, 3, 5, 8, 12]],
    ['pwrite64', [1, 12, 80, 250]],
  ];
  for (const [call, counts] of moments) {
    for (const n of counts) {
      test(`at the ${call} number ${n}`, async () => {
        const directory = temporaryDirectory();
        const under = tampering(`${call}:signal=SIGKILL:when=${n}`);
        const killed = await refusedStart({ directory, settings, under });
        expect(killed).toBeInstanceOf(NotStarted);
        expect(killed.end).toBe('SIGKILL');
        await expectUsable(directory);
        rmSync(directory, { recursive: true });
      });
    }
  }

  test('as a whole: three kills in a row, then it serves', async () => {
    const directory = temporaryDirectory();
    for (const n of [2, 6, 3]) {
      const under = tampering(`fsync:signal=SIGKILL:when=${n}`);
      expect((await refusedStart({ directory, settings, under })).end).toBe('SIGKILL');
    }
    const server = await startProcess({ directory, settings });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    rmSync(directory, { recursive: true });
  });
});
