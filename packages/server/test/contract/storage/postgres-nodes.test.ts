import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import pg from 'pg';
import type { StorageEngine } from '../../../src/core/stores/engine.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { anEvent, anOrganisation, aRequest, idAt } from './samples.ts';

/** Silence is told by the clock of the database: a node falls silent here by being seen longer ago. */

setDefaultTimeout(30_000);

let database: FreshDatabase;
let client: pg.Client;
let engine: StorageEngine;

beforeAll(async () => {
  database = await freshDatabase();
  engine = await openPostgres({ url: database.url, onFatal: () => {} });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
}, 30_000);
afterAll(async () => {
  await engine.close();
  await client.end();
  await database.drop();
});
beforeEach(async () => {
  await client.query('DELETE FROM nodes');
  await client.query('DELETE FROM lost_counts');
  for (const id of ['one', 'two'])
    await engine.upkeep.join({ id, roles: ['process'], version: '1.2.3', host: 'here' }, false);
});

const silentFor = (id: string, ms: number) =>
  client.query('UPDATE nodes SET seen_at = seen_at - $2 WHERE id = $1', [id, ms]);
const nodes = async () => (await engine.upkeep.listClaims()).nodes.toSorted();

test('a node that was silent for 15 s is declared dead by one of those who look, once', async () => {
  await silentFor('two', 16_000);
  const dead = await Promise.all([engine.upkeep.buryNodes('one'), engine.upkeep.buryNodes('one')]);
  expect(dead.flat()).toEqual(['two']);
  expect([await engine.upkeep.heartbeat('two'), await nodes()]).toEqual([null, ['one']]);
});

test('a node that is heard again in time lives on', async () => {
  // Far enough from 15 s for a slow machine.
  await silentFor('two', 4_000);
  expect(await engine.upkeep.buryNodes('one')).toEqual([]);
  expect(await engine.upkeep.heartbeat('two')).toHaveLength(2);
  await silentFor('two', 4_000);
  expect(await engine.upkeep.buryNodes('one')).toEqual([]);
});

test('a node that was silent for too long is dead although nobody has declared it so yet', async () => {
  await silentFor('one', 16_000);
  expect(await engine.upkeep.heartbeat('one')).toBeNull();
  expect(await nodes()).toEqual(['two']);
});

test('nobody declares itself dead', async () => {
  await silentFor('one', 16_000);
  expect([await engine.upkeep.buryNodes('one'), await nodes()]).toEqual([[], ['one', 'two']]);
});

test('a clock of the database that went back does not keep the dead alive', async () => {
  await silentFor('two', -3_600_000);
  expect(await engine.upkeep.buryNodes('one')).toEqual([]);
  await silentFor('two', 16_000);
  expect(await engine.upkeep.buryNodes('one')).toEqual(['two']);
});

test('a heartbeat does not wait for connections that others have taken', async () => {
  const blocked = new pg.Client({ connectionString: database.url });
  await blocked.connect();
  // Whoever reads the accounts waits, on every connection that such reads may have.
  await blocked.query('BEGIN');
  await blocked.query('LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
  const reads = Array.from({ length: 12 }, () => engine.accounts.findUserByEmail('nobody@example.com'));
  expect(await engine.upkeep.heartbeat('one')).toHaveLength(2);
  await blocked.query('ROLLBACK');
  await blocked.end();
  await Promise.all(reads);
});

test('a hint at work reaches every node, however many of a kind come at once as a few', async () => {
  const other = await openPostgres({ url: database.url, onFatal: () => {} });
  const heard: string[] = [];
  other.onWorkHinted(what => heard.push(what));
  for (let n = 0; n < 1_000; n++) engine.hintAtWork(n % 2 === 0 ? 'events' : 'deliveries');
  await until(() => new Set(heard).size === 2, 'It hears nothing.');
  // One that was on its way before all of them, at the end of a pause.
  engine.hintAtWork('events');
  const before = heard.length;
  await until(() => heard.length > before, 'It hears nothing more.');
  expect(heard.length).toBeLessThan(100);
  await other.close();
});

test('what a node had counted and not written is counted again, once, when its death is old enough', async () => {
  const at = Date.now();
  const { id: orgId } = anOrganisation();
  await engine.accounts.createOrganisation(anOrganisation({ id: orgId }), idAt('usr', at));
  await engine.journal.append([aRequest(orgId, [anEvent({ id: idAt('evt', at) })], { receivedAt: at })]);
  await silentFor('two', 16_000);
  expect(await engine.upkeep.buryNodes('one')).toEqual(['two']);
  expect(await engine.upkeep.recountAfter(60_000)).toBe(0);
  const recounts = await Promise.all([engine.upkeep.recountAfter(0), engine.upkeep.recountAfter(0)]);
  expect(recounts.toSorted()).toEqual([0, 1]);
  const hour = 3_600_000;
  const window = { from: at - (at % hour) - hour, stepMs: 3 * hour, points: 1 };
  const counted = await engine.counters.readCounters(orgId, [''], ['received'], window);
  expect(counted).toMatchObject([{ name: 'received', amount: 1 }]);
});
