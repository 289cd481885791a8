import { afterAll, beforeAll, expect, test } from 'bun:test';
import pg from 'pg';
import type { StorageEngine } from '../../../src/core/ports.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { accepted, aJob, aRun, aSettlement, aWish, unclaimed } from './pipeline-samples.ts';
import { idAt, NOW } from './samples.ts';

/** Where two transactions meet in their middle: a lock of a third one holds the first, and lets it go on after the second. */

let database: FreshDatabase;
let engine: StorageEngine;
let third: pg.Client;
/** A transaction sees the others as they were when it first looked. */
let watcher: pg.Client;

beforeAll(async () => {
  database = await freshDatabase();
  engine = await openPostgres({ url: database.url, onFatal: () => {} });
  third = new pg.Client({ connectionString: database.url });
  watcher = new pg.Client({ connectionString: database.url });
  await Promise.all([third.connect(), watcher.connect()]);
}, 30_000);
afterAll(async () => {
  await Promise.all([third.end(), watcher.end()]);
  await engine.close();
  await database.drop();
});

const areWaiting = (count: number) =>
  until(async () => {
    const { rows } = await watcher.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length === count;
  }, `${count} are not waiting.`);

/** A replay with each of its events claimed by itself. */
async function replayUnderWay(count: number) {
  const { storage } = engine;
  const org = idAt('org', NOW);
  const ids = await accepted(storage, org, count);
  const first = await storage.claimEvents(aWish());
  await storage.settleEvents(
    first.events.map(one => aSettlement(one, { runs: [aRun()] })),
    NOW,
  );
  const job = aJob(org);
  await storage.createJob(job);
  const claimed = [];
  for (const eventId of ids) {
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId, plan: null }] });
    claimed.push(...(await storage.claimEvents(aWish())).events);
  }
  expect(claimed.map(({ event }) => event.id)).toEqual(ids);
  return { org, job, claimed };
}

test('a job that is cancelled while one of its events is being parked takes that back too', async () => {
  const { storage } = engine;
  const { org, job, claimed } = await replayUnderWay(1);
  await third.query('BEGIN');
  await third.query('SELECT 1 FROM events WHERE org_id = $1 FOR UPDATE', [org]);
  const parked = [{ pipelineId: 'pipe_one', version: null, retries: 1, dueAt: NOW }];
  const settling = storage.settleEvents(
    claimed.map(one => aSettlement(one, { parked })),
    NOW,
  );
  await areWaiting(1);
  const cancelling = storage.finishJob(org, job.id, 'cancelled', NOW);
  await areWaiting(2);
  await third.query('COMMIT');
  expect(await settling).toMatchObject([{ kind: 'settled' }]);
  expect(await cancelling).toBe(true);
  expect(await storage.hasOutstanding(org, job.id)).toBe(false);
  expect((await storage.claimEvents(aWish())).events).toEqual([]);
});

test('a claim that is given back while its job is being cancelled is not parked', async () => {
  const { storage } = engine;
  const { org, job, claimed } = await replayUnderWay(2);
  const [one, other] = claimed;
  if (!one || !other) throw new Error('Nothing was claimed.');
  await third.query('BEGIN');
  await third.query('SELECT 1 FROM event_claims WHERE event_id = $1 FOR UPDATE', [other.event.id]);
  const cancelling = storage.finishJob(org, job.id, 'cancelled', NOW);
  await areWaiting(1);
  const releasing = storage.releaseClaims([one.token], NOW);
  await areWaiting(2);
  await third.query('COMMIT');
  await Promise.all([cancelling, releasing]);
  expect(await storage.hasOutstanding(org, job.id)).toBe(false);
  expect((await storage.claimEvents(aWish())).events).toEqual([]);
});
