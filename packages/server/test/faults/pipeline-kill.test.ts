import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import pg from 'pg';
import { newId } from '../../src/core/ids.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { ingestWith } from '../support/endpoints.ts';
import { startProcess } from '../support/process.ts';
import { type Seed, seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';
import { newInstallation, onBothEngines } from './prepare.ts';

const KILLS = 6;
const RUNS = '(SELECT count(*) FROM all_runs)';
const BATCH = 40;

/** An sdk source, two pipelines that listen to it, one of them deduplicating, and an inbox behind both. */
async function addPipelines({ configuration }: StorageEngine, { orgId }: Seed): Promise<string[]> {
  const now = Date.now();
  const [source, inbox] = [newId('src'), newId('dst')];
  const times = { createdAt: now, updatedAt: now };
  await configuration.createSource({
    kind: 'sdk',
    id: source,
    orgId,
    name: 'All',
    enabled: true,
    match: '*',
    lastEventAt: null,
    ...times,
  });
  await configuration.createDestination({
    id: inbox,
    orgId,
    kind: 'inbox',
    name: 'Inbox',
    config: '{}',
    policy: { attempts: 3, schedule_s: [0], timeout_s: 15, concurrency: 16, rate_per_second: 0 },
    paused: false,
    breaker: null,
    listenerToken: null,
    formerPolicies: [],
    ...times,
  });
  const steps = [
    [{ kind: 'transform', config: { set: { seen: true } } }],
    [{ kind: 'dedupe', config: { key: 'payload.pair' } }],
  ];
  const ids: string[] = [];
  for (const [n, some] of steps.entries()) {
    const id = newId('pipe');
    const name = `Pipeline ${n}`;
    const definition = { name, sources: [source], steps: some, destinations: [{ id: inbox }] };
    const text = JSON.stringify(definition);
    await configuration.createPipeline(
      { id, orgId, name, enabled: true, version: 1, definition: text, ...times },
      'x',
    );
    ids.push(id);
  }
  return ids;
}

/**
 * Killed again and again while events go through two pipelines: around claims, runs and settling, wherever that
 * finds it. Afterwards each event has exactly one run by each pipeline and one delivery for each that routed it, and
 * of each pair one event was let through.
 */
async function killAgainAndAgain(databaseUrl: string | undefined): Promise<void> {
  const { directory, settings, open, remove } = newInstallation(databaseUrl);
  const before = await open();
  const seed = await seedOrganisation(before);
  const [, deduplicating = ''] = await addPipelines(before, seed);
  await before.close();

  const look = lookInto(directory, databaseUrl);
  let sent = 0;
  const accepted: string[] = [];
  for (let n = 0; n < KILLS; n++) {
    const server = await startProcess({ directory, settings });
    const ingest = ingestWith(server.url, seed.apiKey);
    // Two of each pair, in different batches.
    const events = () =>
      Array.from({ length: BATCH }, () => ({
        type: 'x',
        id: `event ${sent}`,
        payload: { pair: sent++ >> 1 },
      }));
    const begun = await look(RUNS);
    const some = await ingest({ events: events() });
    accepted.push(...(some.body as { data: { events: { id: string }[] } }).data.events.map(({ id }) => id));
    // Ever later into the batch, so that no two kills meet the same moment.
    const enough = begun + n * 9;
    await until(async () => (await look(RUNS)) >= enough, 'Nothing is settled.');
    server.kill('SIGKILL');
    expect(await server.ended).toBe('SIGKILL');
  }
  const last = await startProcess({ directory, settings });
  // Where nodes share a database, what a dead one had claimed is waited for until its lease ends.
  const waiting = `(SELECT count(*) FROM events WHERE state IN ('accepted', 'claimed', 'deferred'))`;
  await until(async () => (await look(waiting)) === 0, 'Events are left behind.');
  last.kill('SIGTERM');
  expect(await last.ended).toBe(0);

  const engine = await open();
  const routed = new Map<number, number>();
  for (const id of accepted) {
    const event = await engine.journal.findEvent(seed.orgId, id);
    const runs = await engine.eventQueue.listRuns(seed.orgId, id);
    const deliveries = await engine.deliveryQueue.listDeliveries(
      seed.orgId,
      { event: id },
      { limit: 9, below: null },
    );
    const outcomes = runs.map(({ outcome }) => outcome).toSorted();
    expect({ id, runs: runs.length, failed: outcomes.includes('failed') }).toEqual({
      id,
      runs: 2,
      failed: false,
    });
    expect(deliveries).toHaveLength(outcomes.filter(outcome => outcome === 'routed').length);
    const { pair } = JSON.parse(event?.payload ?? '{}') as { pair: number };
    const passed = runs.some(run => run.pipelineId === deduplicating && run.outcome === 'routed');
    routed.set(pair, (routed.get(pair) ?? 0) + Number(passed));
  }
  expect([...routed].filter(([, count]) => count !== 1)).toEqual([]);
  await engine.close();
  remove();
}

/** Looks into the database from outside, whoever has it open. */
function lookInto(directory: string, databaseUrl: string | undefined) {
  return async (expression: string): Promise<number> => {
    if (databaseUrl === undefined) {
      const database = new Database(join(directory, 'sluice.db'), { readonly: true });
      try {
        return (database.query(`SELECT ${expression} AS n`).get() as { n: number }).n;
      } finally {
        database.close();
      }
    }
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      return Number((await client.query<{ n: string }>(`SELECT ${expression} AS n`)).rows[0]?.n);
    } finally {
      await client.end();
    }
  };
}

describe('killed while events go through pipelines, 6 times: none is lost, none is doubled', () => {
  onBothEngines(killAgainAndAgain);
});
