import { describe, expect } from 'bun:test';
import { createLoad, expectPromisesKept } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { seedOrganisation } from '../support/service.ts';
import { newInstallation, onBothEngines } from './prepare.ts';

const KILLS = 6;

/**
 * Killed under load again and again, wherever that finds it: during a commit, after it and before the answer, or
 * after the answer. Each time the senders come back with what got no answer.
 */
async function killAgainAndAgain(databaseUrl: string | undefined): Promise<void> {
  const { directory, settings, open, remove } = newInstallation(databaseUrl);
  const before = await open();
  const seed = await seedOrganisation(before);
  const load = createLoad(seed, await seed.source('hmac'));
  await before.close();

  for (let n = 0; n < KILLS; n++) {
    const server = await startProcess({ directory, settings });
    await load.retryUnanswered(server.url);
    // Ever later into the run, so that no two kills meet the same moment.
    const { reached, stop } = load.run(server.url, 10 + n * 24);
    await reached;
    server.kill('SIGKILL');
    expect(await server.ended).toBe('SIGKILL');
    await stop();
  }
  const last = await startProcess({ directory, settings });
  await load.retryUnanswered(last.url);
  last.kill('SIGKILL');
  await last.ended;

  const after = await open();
  await expectPromisesKept(after, seed.orgId, load.requests);
  await after.close();
  remove();
}

describe(`killed under load, ${KILLS} times: what was accepted is there, once and whole; what was refused is not`, () => {
  onBothEngines(killAgainAndAgain);
});
