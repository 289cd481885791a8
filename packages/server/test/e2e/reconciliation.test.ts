import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import type { MapRecord, OverviewRecord } from '@sluice/contract/dashboard-overview';
import pg from 'pg';
import { seconds } from '../../src/core/clock.ts';
import type { RunOutcome } from '../../src/core/event/outcome.ts';
import { stateAfter } from '../../src/core/event/state.ts';
import { dataOf, readAll } from '../support/dashboard.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { liveTroubledHour, type TroubledHour } from '../support/troubled-hour.ts';
import { until } from '../support/until.ts';

/** After an hour of faults `/metrics`, the overview, the lists and what is stored say the same. */

interface Opened {
  readonly settings: Record<string, string>;
  /** Straight from the tables. */
  rows(hour: TroubledHour, statement: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

const sqlite = async (): Promise<Opened> => ({
  settings: {},
  async rows({ service }, statement) {
    const database = new Database(join(service.directory, 'sluice.db'), { readonly: true });
    try {
      return database.query<Record<string, unknown>, []>(statement).all();
    } finally {
      database.close();
    }
  },
  close: async () => {},
});

const postgres = async (): Promise<Opened> => {
  const database: FreshDatabase = await migratedDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    settings: { SLUICE_DATABASE_URL: database.url },
    rows: async (_hour, statement) => (await client.query(statement)).rows as Record<string, unknown>[],
    async close() {
      await client.end();
      await database.drop();
    },
  };
};

/** How many there are of each, by name. */
type Counts = Readonly<Record<string, number>>;

const tally = (names: readonly string[]): Counts => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
const total = (counts: Counts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const)('on %s', (_name, open) => {
  let opened: Opened;
  let hour: TroubledHour;
  let overview: OverviewRecord;
  let metrics: ReadonlyMap<string, number>;

  const groups = async (statement: string): Promise<Counts> =>
    Object.fromEntries((await opened.rows(hour, statement)).map(({ name, n }) => [String(name), Number(n)]));
  const count = async (from: string) =>
    (await groups(`SELECT 'n' AS name, count(*) AS n FROM ${from}`)).n ?? 0;
  const by = (column: string, from: string) =>
    groups(`SELECT ${column} AS name, count(*) AS n FROM ${from} GROUP BY ${column}`);
  const list = <T = { id: string; state: string }>(path: string) => readAll<T>(hour.owner, path);
  /** The series of a metric, by the value of its only label. */
  const metric = (name: string, label: string): Counts =>
    Object.fromEntries(
      [...metrics].flatMap(([series, value]) => {
        const match = new RegExp(`^${name}\\{${label}="([^"]*)"\\}$`).exec(series);
        return match?.[1] === undefined ? [] : [[match[1], value]];
      }),
    );
  const present = (counts: Counts): Counts =>
    Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));

  beforeAll(async () => {
    opened = await open();
    hour = await liveTroubledHour(opened.settings);
    const delivered = await count(`deliveries WHERE state = 'delivered'`);
    const settled = await count('events');
    // Counters are written once a second.
    await until(async () => {
      overview = dataOf<OverviewRecord>(await hour.owner.get('/overview?minutes=120'));
      const { processed, dropped, failed, unrouted } = overview.totals;
      return overview.totals.delivered === delivered && processed + dropped + failed + unrouted === settled;
    }, 'What was counted is not what is stored.').catch(() => {});
    hour.pass(seconds(10));
    const text = await (await fetch(`${hour.service.url}/metrics`)).text();
    metrics = new Map(
      text
        .split('\n')
        .filter(line => line.startsWith('sluice_'))
        .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  });
  afterAll(async () => {
    await hour.stop();
    await opened.close();
  });

  test('everything that is counted has happened', async () => {
    expect(Object.keys(await by('state', 'events')).sort()).toEqual([
      'dropped',
      'failed',
      'processed',
      'unrouted',
    ]);
    expect(Object.keys(await by('state', 'deliveries')).sort()).toEqual([
      'cancelled',
      'dead',
      'delivered',
      'pending',
    ]);
    expect([...hour.answers.keys()].sort()).toEqual([
      'ingest 202',
      'ingest 400',
      'ingest 401',
      'ingest 409',
      'webhook 202',
      'webhook 429',
    ]);
    expect(await count(`deliveries WHERE code = 'replayed'`)).toBeGreaterThan(0);
    expect(hour.revived).toBeGreaterThan(1);
  });

  test('requests: answers by status are what senders saw, refused ones are listed at their source', async () => {
    const answered = [...metrics].flatMap(([series, n]) => {
      const [, door, status] =
        /^sluice_door_responses_total\{door="(\w+)",status="(\d+)"\}$/.exec(series) ?? [];
      return door === undefined ? [] : [[`${door} ${status}`, n] as const];
    });
    expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(hour.answers));
    const { source, count: refused } = hour.refused;
    expect(await list(`/sources/${source}/rejections?limit=100`)).toHaveLength(refused);
  });

  test('events: committed, received, listed and stored are as many, and so is each state', async () => {
    const stored = await count('events');
    expect(metrics.get('sluice_events_committed_total')).toBe(stored);
    expect(overview.totals.received).toBe(stored);
    expect(await list('/events?limit=100')).toHaveLength(stored);
    const states = await by('state', 'events');
    const { processed, dropped, failed, unrouted } = overview.totals;
    expect(present({ processed, dropped, failed, unrouted })).toEqual(states);
    for (const [state, n] of Object.entries(states))
      expect([state, (await list(`/events?state=${state}&limit=100`)).length]).toEqual([state, n]);
    expect([metrics.get('sluice_events_waiting'), overview.backlog.accepted.count]).toEqual([0, 0]);
  });

  test('settled events: the metric has the state in which each came out first, which a replay may change since', async () => {
    const settled = metric('sluice_events_settled_total', 'state');
    const outcomes = new Map<string, RunOutcome['kind'][]>(
      (await opened.rows(hour, 'SELECT id FROM events')).map(({ id }) => [String(id), []]),
    );
    const runs = await opened.rows(hour, `SELECT event_id, outcome FROM all_runs WHERE replay_job_id = ''`);
    for (const { event_id, outcome } of runs)
      outcomes.get(String(event_id))?.push(outcome as RunOutcome['kind']);
    expect(present(settled)).toEqual(tally([...outcomes.values()].map(stateAfter)));
    expect(total(settled)).toBe(await count('events'));
    expect(settled).not.toEqual(await by('state', 'events'));
  });

  test('deliveries: the overview, the lists and the gauges have those that are stored, by the state they are in', async () => {
    const stored = await by('state', 'deliveries');
    const { delivered, dead } = overview.totals;
    expect([delivered, dead]).toEqual([stored.delivered ?? 0, stored.dead ?? 0]);
    const open = metric('sluice_deliveries_open', 'state');
    expect(open).toEqual({ pending: stored.pending ?? 0, delivering: 0, retrying: 0 });
    // What is stored as pending is shown as held, since its destination is paused.
    expect(overview.backlog).toMatchObject({ pending: { count: 0 }, held: { count: stored.pending } });
    const shown = { ...stored, held: stored.pending ?? 0, pending: 0 };
    const all = await list('/deliveries?limit=100');
    expect(tally(all.map(({ state }) => state))).toEqual(present(shown));
    for (const [state, n] of Object.entries(shown)) {
      expect([state, (await list(`/deliveries?state=${state}&limit=100`)).length]).toEqual([state, n]);
    }
    const ofDestination = await by('destination_id', 'deliveries');
    for (const [id, n] of Object.entries(ofDestination))
      expect(await list(`/deliveries?destination=${id}&limit=100`)).toHaveLength(n);
    expect(total(ofDestination)).toBe(all.length);
  });

  test('ends: each delivery that is delivered or cancelled ended so once; the dead also where they were taken up again', async () => {
    const stored = await by('state', 'deliveries');
    expect(metric('sluice_deliveries_ended_total', 'state')).toEqual({
      delivered: stored.delivered ?? 0,
      cancelled: stored.cancelled ?? 0,
      dead: (stored.dead ?? 0) + hour.revived + hour.buried,
    });
  });

  test('attempts: as many as are stored, by what came of each; what arrived is what receivers took', async () => {
    const stored = await groups(
      `SELECT coalesce(code, 'delivered') AS name, count(*) AS n FROM all_attempts GROUP BY coalesce(code, 'delivered')`,
    );
    expect(metric('sluice_delivery_attempts_total', 'result')).toEqual(stored);
    const arrived = await groups(
      `SELECT destination_id AS name, count(*) AS n FROM all_attempts
       JOIN deliveries ON deliveries.org_id = all_attempts.org_id AND deliveries.id = all_attempts.delivery_id
       WHERE all_attempts.code IS NULL GROUP BY destination_id`,
    );
    expect(arrived).toEqual(present(Object.fromEntries(hour.taken)));
    expect(stored.delivered).toBe(await count(`deliveries WHERE state = 'delivered'`));
  });

  test('dead letters: gauges, figures, the list, its summary and each of its filters', async () => {
    const dead = await by('destination_id', `deliveries WHERE state = 'dead'`);
    const failed = await count(
      `(SELECT DISTINCT event_id FROM runs WHERE outcome = 'failed' AND mended = 0) AS failed`,
    );
    expect(metric('sluice_dead_letters', 'kind')).toEqual({ delivery: total(dead), event: failed });
    expect(overview.dead_letters).toEqual({
      deliveries: { count: total(dead), more: false },
      events: { count: failed, more: false },
    });
    const summary = dataOf<DeadLetterSummary>(await hour.owner.get('/dead-letters/summary'));
    expect([summary.deliveries, summary.events]).toEqual([total(dead), failed]);
    const grouped = summary.by_destination.map(({ destination, count }) => [destination.id, count] as const);
    expect(Object.fromEntries(grouped)).toEqual(dead);
    expect(await list('/dead-letters?limit=100')).toHaveLength(total(dead) + failed);
    expect(await list('/dead-letters?kind=event&limit=100')).toHaveLength(failed);
    for (const [id, n] of Object.entries(dead))
      expect(await list(`/dead-letters?destination=${id}&limit=100`)).toHaveLength(n);
    for (const [code, n] of Object.entries(await by('code', `deliveries WHERE state = 'dead'`)))
      expect(await list(`/dead-letters?code=${code}&limit=100`)).toHaveLength(n);
  });

  test('time: a figure has as many as the list from where its chart begins, however late something ended', async () => {
    const recent = dataOf<OverviewRecord>(await hour.owner.get('/overview?minutes=30'));
    const after = new Date(Date.parse(recent.from) - 1).toISOString();
    const { received, processed, delivered, dead } = recent.totals;
    const sizes = await Promise.all(
      [
        `/events?after=${after}`,
        `/events?state=processed&after=${after}`,
        `/deliveries?state=delivered&after=${after}`,
        `/dead-letters?kind=delivery&after=${after}`,
      ].map(async path => (await list(`${path}&limit=100`)).length),
    );
    expect([received, processed, delivered, dead]).toEqual(sizes);
    expect(received).toBeLessThan(overview.totals.received);
    for (const [name, line] of Object.entries(overview.series)) {
      const figure = overview.totals[name as keyof typeof overview.totals];
      expect([name, line.reduce((sum, n) => sum + n, 0)]).toEqual([name, figure]);
    }
  });

  test('the map: events of each pipeline, deliveries along each edge, and what each destination took', async () => {
    const map = dataOf<MapRecord>(await hour.owner.get('/map?minutes=120'));
    // However often it ran an event.
    const came = await by('pipeline_id', '(SELECT DISTINCT pipeline_id, event_id FROM all_runs) AS came');
    expect(Object.fromEntries(map.pipelines.map(({ id, total }) => [id, total]))).toEqual(came);
    const delivered = await by('destination_id', `deliveries WHERE state = 'delivered'`);
    const shown = Object.fromEntries(map.destinations.map(({ id, total }) => [id, total]));
    expect(present(shown)).toEqual(delivered);
    const made = await by(`pipeline_id || '>' || destination_id`, 'deliveries');
    const edges = map.edges.filter(({ to }) => to.startsWith('dst_'));
    for (const { from, to, total } of edges)
      expect([from, to, total]).toEqual([from, to, made[`${from}>${to}`] ?? 0]);
    const { gone } = hour.ids;
    const elsewhere = Object.entries(made).filter(([edge]) => !edge.endsWith(gone));
    // A destination that was deleted is on no map any more; what was made for it stays in the lists.
    expect(edges).toHaveLength(elsewhere.length);
  });

  test('destinations: their own counters have each failed attempt and each death, when they happened', async () => {
    const sums: Record<string, number> = {};
    for (const id of Object.values(hour.ids)) {
      const { series } = dataOf<{ series: Record<string, number[]> }>(
        await hour.owner.get(`/counters?subject=${id}&names=delivered,failed,dead&minutes=120`),
      );
      for (const [name, line] of Object.entries(series))
        sums[name] = line.reduce((sum, n) => sum + n, sums[name] ?? 0);
    }
    const ended = metric('sluice_deliveries_ended_total', 'state');
    expect(sums).toEqual({
      delivered: ended.delivered ?? 0,
      dead: ended.dead ?? 0,
      failed: await count('attempts WHERE code IS NOT NULL'),
    });
  });
});
