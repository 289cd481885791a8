import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import pg from 'pg';
import { EVENT_TYPES } from '../../../src/core/stores/counters.ts';
import type { StorageEngine } from '../../../src/core/stores/engine.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import type { FreshDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { anEvent, anOrganisation, aRequest, idAt } from './samples.ts';

/** Silence is told by the clock of the database: a node falls silent here by being seen longer ago. */

let database: FreshDatabase;
let client: pg.Client;
let engine: StorageEngine;

beforeAll(async () => {
  database = await migratedDatabase();
  engine = await openPostgres({ url: database.url, onFatal: () => {} });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
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

const recountAll = async (ms: number): Promise<number> => {
  let pieces = 0;
  while (await engine.upkeep.recountAfter(ms)) pieces++;
  return pieces;
};
const stored = async (at: number, count: number): Promise<string> => {
  const { id } = anOrganisation();
  await engine.accounts.createOrganisation(anOrganisation({ id }), idAt('usr', at));
  const events = Array.from({ length: count }, () => anEvent({ id: idAt('evt', at) }));
  await engine.journal.append([aRequest(id, events, { receivedAt: at })]);
  return id;
};
const received = async (orgId: string, at: number): Promise<number> => {
  const hour = 3_600_000;
  const window = { from: at - (at % hour) - hour, stepMs: 3 * hour, points: 1 };
  const [sum] = await engine.counters.readCounters(orgId, [''], ['received'], window);
  return sum?.amount ?? 0;
};
const countOf = (orgId: string, at: number, amount: number) => ({
  orgId,
  subject: '',
  name: 'received',
  at,
  amount,
});

test('what a node had counted and not written is counted again, once, when its death is old enough', async () => {
  const at = Date.now();
  const orgId = await stored(at, 1);
  await silentFor('two', 16_000);
  expect(await engine.upkeep.buryNodes('one')).toEqual(['two']);
  expect(await recountAll(60_000)).toBe(0);
  await Promise.all([recountAll(0), recountAll(0), recountAll(0)]);
  expect(await received(orgId, at)).toBe(1);
  expect(await recountAll(0)).toBe(0);
});

test('a node that finds itself dead has its counts counted again, whoever was to declare it', async () => {
  const at = Date.now();
  const orgId = await stored(at, 1);
  await silentFor('one', 16_000);
  expect(await engine.upkeep.heartbeat('one')).toBeNull();
  await recountAll(0);
  expect(await received(orgId, at)).toBe(1);
});

test('counts of a node that is dead are not added once they may have been counted again: they are so, in whatever minutes they are', async () => {
  const at = Date.now() - 150_000;
  const before = at - 600_000;
  const [orgId, earlier] = [await stored(at, 3), await stored(before, 2)];
  const counts = [countOf(orgId, at, 3), countOf(earlier, before, 2)];
  await silentFor('two', 90_000);
  await engine.upkeep.buryNodes('one');
  await recountAll(0);
  // It wakes, and does not know.
  const lost = { orgId, subject: 'dst_x', name: 'failed', at, amount: 4 };
  await engine.counters.addCounts([...counts, lost], 'two');
  expect([await received(orgId, at), await received(earlier, before)]).toEqual([3, 0]);
  await recountAll(0);
  expect([await received(orgId, at), await received(earlier, before)]).toEqual([3, 2]);
  // What nobody can count again is as it was counted.
  const { rows } = await client.query(`SELECT amount FROM counters WHERE org_id = $1 AND subject = 'dst_x'`, [
    orgId,
  ]);
  expect(rows.map(row => Number(row.amount))).toEqual([4, 4]);
});

test('after an outage the latest counts of whoever is taken for dead are there at once, and not twice', async () => {
  const at = Date.now();
  const orgId = await stored(at, 3);
  await silentFor('two', 16_000);
  expect(await engine.upkeep.heartbeat('two')).toBeNull();
  await engine.counters.addCounts([countOf(orgId, at, 2)], 'two');
  // Another could not write for so long that it does not know.
  await engine.counters.addCounts([countOf(orgId, at, 1)], null);
  expect(await received(orgId, at)).toBe(3);
  await recountAll(0);
  expect(await received(orgId, at)).toBe(3);
});

test('what a dead node wrote without an answer and writes again stands there once, after its minute was counted again', async () => {
  const at = Date.now();
  const orgId = await stored(at, 3);
  await engine.counters.addCounts([countOf(orgId, at, 3)], 'two');
  await silentFor('two', 16_000);
  await engine.upkeep.buryNodes('one');
  // Its death is counted again before it wakes.
  await recountAll(0);
  await engine.counters.addCounts([countOf(orgId, at, 3)], 'two');
  await recountAll(0);
  expect(await received(orgId, at)).toBe(3);
});

test('a recount goes on in pieces, and writes nothing that is right already', async () => {
  const at = Date.now();
  const orgIds: string[] = [];
  for (let n = 0; n < 120; n++) orgIds.push(await stored(at, 1));
  const [right = '', ...wrong] = orgIds;
  const ofType = { ...countOf(right, at, 1), subject: EVENT_TYPES, name: anEvent().type };
  await engine.counters.addCounts([countOf(right, at, 1), ofType], 'one');
  const versionOf = async (orgId: string) =>
    (
      await client.query('SELECT xmin, amount FROM counters WHERE org_id = $1 ORDER BY subject, span', [
        orgId,
      ])
    ).rows;
  const before = await versionOf(right);
  await silentFor('two', 16_000);
  await engine.upkeep.buryNodes('one');
  // Both nodes go at it, and somebody counts meanwhile, mostly in the same hour.
  const later = wrong.map(orgId => countOf(orgId, at + 600_000, 1));
  await Promise.all([recountAll(0), recountAll(0), engine.counters.addCounts(later, 'one')]);
  expect(await versionOf(right)).toEqual(before);
  for (const orgId of wrong) expect(await received(orgId, at)).toBe(2);
  const { rows } = await client.query('SELECT count(*)::int AS n FROM counters WHERE amount = 0');
  expect(rows[0]).toEqual({ n: 0 });
});
