import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { aWrite } from '../../../test/contract/storage/entity-samples.ts';
import {
  aClaimInput,
  accepted,
  aJob,
  aRun,
  aSettlement,
  unclaimed,
} from '../../../test/contract/storage/pipeline-samples.ts';
import { NOW, storedOrganisation } from '../../../test/contract/storage/samples.ts';
import { everyStore } from '../../../test/support/every-store.ts';
import { seedOrganisation, temporaryDirectory } from '../../../test/support/service.ts';
import { parsePath } from '../../core/expressions/path.ts';
import { newId } from '../../core/ids.ts';
import type { SettledRun } from '../../core/stores/event-queue.ts';
import { databaseFile, openSqlite } from './engine.ts';

const fail = (reason: string) => {
  throw new Error(reason);
};

test('a clean stop leaves one tidy file, and whoever comes next may open it at once', async () => {
  const directory = temporaryDirectory();
  for (let n = 0; n < 3; n++) {
    const engine = await openSqlite({ directory, onFatal: fail });
    await seedOrganisation(engine);
    await engine.close();
    expect(readdirSync(directory).sort()).toEqual(['sluice.db', 'sluice.lock']);
  }
  rmSync(directory, { recursive: true });
});

test('nobody else on the machine can read the database', async () => {
  const directory = temporaryDirectory();
  const engine = await openSqlite({ directory, onFatal: fail });
  expect(statSync(databaseFile(directory)).mode & 0o777).toBe(0o600);
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('a start that is refused lets go of the directory', async () => {
  const directory = temporaryDirectory();
  await (await openSqlite({ directory, onFatal: fail })).close();
  rmSync(databaseFile(directory));
  for (let n = 0; n < 2; n++) {
    const refused = await openSqlite({ directory, onFatal: fail }).catch((error: Error) => error);
    expect((refused as Error).message).toContain('is missing or empty');
  }
  rmSync(directory, { recursive: true });
});

test('what waits for the disk together is flushed together', async () => {
  const directory = temporaryDirectory();
  const engine = await openSqlite({ directory, onFatal: fail });
  const journal = `${databaseFile(directory)}-wal`;
  const before = commitsIn(journal);
  const names = Array.from({ length: 300 }, (_, n) => `node ${n}`);
  await Promise.all(
    names.map(name => engine.upkeep.join({ id: name, roles: [], version: '', host: '' }, false)),
  );
  expect(commitsIn(journal) - before).toBeLessThan(100);
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('searches, one after the other, never keep the journal from being folded back', async () => {
  const directory = temporaryDirectory();
  const engine = await openSqlite({ directory, onFatal: fail });
  const org = await storedOrganisation(everyStore(engine));
  const traits = { note: 'x'.repeat(1_000) };
  const writeSome = (from: number) => {
    const writes = Array.from({ length: 500 }, (_, n) => aWrite(`c${from + n}`, traits));
    return engine.entities.writeEntities([{ orgId: org, writes }]);
  };
  for (let from = 0; from < 10_000; from += 500) await writeSome(from);
  let isOver = false;
  const filter = { traits: [{ path: parsePath('absent'), text: 'none' }] };
  const page = { limit: 10, position: null, budgetMs: 5_000 };
  const searches = [1, 2].map(async () => {
    while (!isOver) await engine.entities.listEntities(org, filter, page);
  });
  for (let round = 0; round < 6; round++) {
    for (let from = 0; from < 10_000; from += 500) await writeSome(from);
  }
  isOver = true;
  await Promise.all(searches);
  // As much again as is stored was written six times over, and would all stand there.
  expect(statSync(`${databaseFile(directory)}-wal`).size).toBeLessThan(
    2 * statSync(databaseFile(directory)).size,
  );
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('whoever looks for events that failed looks past none that was retried since', async () => {
  const directory = temporaryDirectory();
  const engine = await openSqlite({ directory, onFatal: fail });
  const storage = everyStore(engine);
  const orgId = await storedOrganisation(storage);
  const ids = await accepted(storage, orgId, 3);
  const settle = async (run: Partial<SettledRun>) => {
    const { events } = await storage.claimEvents(aClaimInput());
    const settlements = events.map(one =>
      aSettlement(one, { runs: [aRun({ id: newId('run', NOW), pipelineId: 'pipe_a', ...run })] }),
    );
    await storage.settleEvents(settlements, NOW);
  };
  const replay = async () => {
    const job = aJob(orgId);
    await storage.createJob(job);
    const replays = ids.slice(0, 2).map(eventId => ({ eventId, plan: null }));
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays });
  };
  await settle({ outcome: 'failed' });
  await replay();
  await settle({ outcome: 'failed' });
  await replay();
  await settle({ outcome: 'dropped' });
  expect(await storage.listFailedEvents(orgId, { limit: 9, below: null })).toEqual(ids.slice(2));
  await engine.close();

  const database = new Database(databaseFile(directory), { readonly: true });
  const looked = database
    .query(`SELECT event_id FROM runs INDEXED BY runs_failed WHERE outcome = 'failed' AND mended = 0`)
    .all();
  expect(looked).toEqual([{ event_id: ids[2] }]);
  database.close();
  rmSync(directory, { recursive: true });
});

const WAL_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/** The frame that ends a transaction says how large the database is after it; the others say nothing there. */
function commitsIn(journal: string): number {
  const bytes = readFileSync(journal);
  let commits = 0;
  for (let at = WAL_HEADER_BYTES; at + FRAME_BYTES <= bytes.length; at += FRAME_BYTES) {
    if (bytes.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}
