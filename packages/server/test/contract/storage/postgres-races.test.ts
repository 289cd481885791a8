import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely';
import pg from 'pg';
import { EXPORT_JOB } from '../../../src/core/jobs/export-job.ts';
import type { DeliveryState } from '../../../src/core/stores/delivery.ts';
import type { StorageEngine } from '../../../src/core/stores/engine.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { listDeliveries } from '../../../src/storage/queries/deliveries/deliveries.ts';
import type { Schema } from '../../../src/storage/schema.ts';
import { everyStore } from '../../support/every-store.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import type { FreshDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { aClaimInput, accepted, aJob, aRun, aSettlement, unclaimed } from './pipeline-samples.ts';
import { anEvent, anOrganisation, aRequest, idAt, NOW, storedOrganisation } from './samples.ts';

/**
 * Where two transactions meet in their middle: a lock of a third one holds the first, and lets it go on after the
 * second.
 */

let database: FreshDatabase;
let engine: StorageEngine;
let third: pg.Client;
let pool: pg.Pool;
/** A transaction sees the others as they were when it first looked. */
let watcher: pg.Client;

beforeAll(async () => {
  database = await migratedDatabase();
  engine = await openPostgres({ url: database.url, onFatal: () => {} });
  third = new pg.Client({ connectionString: database.url });
  watcher = new pg.Client({ connectionString: database.url });
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await Promise.all([third.connect(), watcher.connect()]);
});
afterAll(async () => {
  await Promise.all([third.end(), watcher.end(), pool.end()]);
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
  const storage = everyStore(engine);
  const org = idAt('org', NOW);
  const ids = await accepted(storage, org, count);
  const first = await storage.claimEvents(aClaimInput());
  await storage.settleEvents(
    first.events.map(one => aSettlement(one, { runs: [aRun()] })),
    NOW,
  );
  const job = aJob(org);
  await storage.createJob(job);
  const claimed = [];
  for (const eventId of ids) {
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId, plan: null }] });
    claimed.push(...(await storage.claimEvents(aClaimInput())).events);
  }
  expect(claimed.map(({ event }) => event.id)).toEqual(ids);
  return { org, job, claimed };
}

test('a job that is cancelled while one of its events is being parked takes that back too', async () => {
  const storage = everyStore(engine);
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
  expect((await storage.claimEvents(aClaimInput())).events).toEqual([]);
});

test('a claim that is given back while its job is being cancelled is not parked', async () => {
  const storage = everyStore(engine);
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
  expect((await storage.claimEvents(aClaimInput())).events).toEqual([]);
});

test('an export that is asked for during an erasure begins after it, and reads nothing of what was erased', async () => {
  const storage = everyStore(engine);
  const org = await storedOrganisation(storage);
  const entity = { kind: 'person', externalId: 'p1' };
  const event = anEvent({ entityKind: entity.kind, entityExternalId: entity.externalId });
  await storage.append([aRequest(org, [event])]);
  await third.query('BEGIN');
  await third.query('SELECT 1 FROM events WHERE org_id = $1 FOR UPDATE', [org]);
  const erasing = storage.eraseEventsOfEntity(org, entity, { after: null, limit: 10, at: NOW });
  await areWaiting(1);
  const creating = storage.createExport(aJob(org, { kind: EXPORT_JOB }), { mostRunning: 2, mostKept: 2 });
  await areWaiting(2);
  await third.query('COMMIT');
  expect(await erasing).toMatchObject({ erased: 1 });
  expect(await creating).toBe('created');
});

/** The first five in this state, where something happens between the first statement that finds any and the next. */
async function listedWhile(org: string, state: DeliveryState, change: () => Promise<unknown>) {
  let isOver = false;
  const changing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!isOver && result.rows.some(row => String(row.id).startsWith('dlv_'))) {
        isOver = true;
        await change();
      }
      return result;
    },
  };
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [changing] });
  const found = await listDeliveries(db, org, { state }, { limit: 5, below: null });
  expect(isOver).toBe(true);
  return found.map(({ id }) => id);
}

test('a list of open deliveries goes on behind those that went on between its statements', async () => {
  const storage = everyStore(engine);
  const org = idAt('org', NOW);
  const [kept, quick] = [aDestination(org), aDestination(org)];
  for (const destination of [kept, quick]) await storage.createDestination(destination);
  await routedTo(storage, org, [kept.id], { count: 6 });
  await routedTo(storage, org, [quick.id], { count: 4, at: NOW + 1 });
  const all = await storage.listDeliveries(org, { state: 'pending' }, { limit: 100, below: null });
  const ofKept = all.slice(4).map(({ id }) => id);
  expect(ofKept).toHaveLength(6);
  const deliver = () =>
    third.query(`UPDATE deliveries SET state = 'delivered', finished_at = 1 WHERE destination_id = $1`, [
      quick.id,
    ]);
  expect(await listedWhile(org, 'pending', deliver)).toEqual(ofKept.slice(0, 5));
});

test('a list of cancelled deliveries shows those once that are being cancelled', async () => {
  const storage = everyStore(engine);
  const org = idAt('org', NOW);
  const destination = aDestination(org);
  await storage.createDestination(destination);
  await routedTo(storage, org, [destination.id], { count: 4 });
  const ids = (await storage.listDeliveries(org, {}, { limit: 9, below: null })).map(({ id }) => id);
  await storage.discardDelivery(org, ids[1] ?? '', NOW);
  await storage.deleteDestination(org, destination.id, 'me', NOW);
  const cancel = () =>
    third.query(`UPDATE deliveries SET state = 'cancelled', finished_at = 1 WHERE destination_id = $1`, [
      destination.id,
    ]);
  expect(await listedWhile(org, 'cancelled', cancel)).toEqual(ids);
});

test('an organisation that gets its address while another takes the same gets the next', async () => {
  const { id } = anOrganisation();
  await engine.accounts.createOrganisation(anOrganisation({ id, name: 'Racing' }), idAt('usr', NOW));
  await third.query('UPDATE organisations SET slug = NULL WHERE id = $1', [id]);
  await third.query('BEGIN');
  await third.query(
    `INSERT INTO organisations (id, name, searchable_traits, created_at, slug) VALUES ($1, 'Racing', '[]', 0, 'racing')`,
    [idAt('org', NOW)],
  );
  const given = engine.accounts.giveSlugs();
  await areWaiting(1);
  await third.query('COMMIT');
  await given;
  expect((await engine.accounts.findOrganisation(id))?.slug).toBe('racing-2');
});
