import { deliveryState } from '@sluice/contract/dashboard-deliveries';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import pg from 'pg';
import { tableOf } from './configuration.ts';
import type { RunFiles } from './journal.ts';
import type { FinalDelivery, FinalRun } from './lines.ts';
import type { Organisation } from './organisation.ts';

/** What the dashboard answers once nothing is left to do, and the rows that a database has as a receiver. */

const AT_ONCE = 6;
const EVENT_STATES = ['accepted', 'processed', 'dropped', 'unrouted', 'failed'];
/** All of the run, however far the clock was away. */
const MINUTES = 24 * 60;

export async function collectAnswers(files: RunFiles, organisation: Organisation): Promise<void> {
  const { operator, name, pipeline } = organisation;
  const summaries = await operator.all<{ id: string; state: string }>('/events');
  const queue = [...summaries];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const { status, data } = await operator.call<EventRecord>('GET', `/events/${next.id}`);
        // What is listed and cannot be read is left out here, and missed where it was acknowledged.
        if (status === 200) files.write('final', { kind: 'event', organisation: name, ...eventOf(data) });
      }
    }),
  );
  const versions = await operator.all<VersionRecord>(`/pipelines/${pipeline}/versions`);
  for (const { version, steps } of versions) {
    const revision = steps.find(({ kind }) => kind === 'transform')?.config.set?.version ?? 0;
    files.write('final', { kind: 'version', organisation: name, pipeline, version, revision });
  }
  files.write('final', {
    kind: 'figures',
    organisation: name,
    ...(await figuresOf(organisation)),
  });
}

interface VersionRecord {
  readonly version: number;
  readonly steps: readonly {
    readonly kind: string;
    readonly config: { readonly set?: { readonly version?: number } };
  }[];
}

function eventOf(event: EventRecord) {
  const runs = event.runs.map((run): FinalRun => {
    const output = run.steps.at(-1)?.after?.payload;
    return {
      id: run.id,
      pipeline: run.pipeline.id,
      version: run.pipeline.version,
      outcome: run.outcome,
      step: run.step,
      reason: run.reason,
      ...(run.cut_at === null && output !== undefined ? { output } : {}),
    };
  });
  const deliveries = event.deliveries.map(
    (delivery): FinalDelivery => ({
      id: delivery.id,
      destination: delivery.destination.id,
      run: delivery.run_id,
      state: delivery.state,
      code: delivery.code,
      isOutage: delivery.outage !== null,
      attempts: delivery.attempts.map(({ n, status, code, request, cut }) => ({
        n,
        status,
        code,
        body: request.body,
        cut,
      })),
    }),
  );
  const { id, type, state, erased_at, payload } = event;
  return {
    id,
    type,
    state,
    isErased: erased_at !== null,
    payload: JSON.stringify(payload),
    runs,
    deliveries,
  };
}

/** How long each list is, and what the dashboard's figures say of it. */
async function figuresOf({ operator }: Organisation) {
  const lists: Record<string, number> = {};
  const count = async (list: string) => (await operator.all(list)).length;
  // Sluice tells of what is well again in events of its own, which come while the lists are read.
  do {
    lists.events = await count('/events');
    for (const state of EVENT_STATES) lists[`events ${state}`] = await count(`/events?state=${state}`);
  } while ((await count('/events')) !== lists.events);
  lists.deliveries = await count('/deliveries');
  for (const state of deliveryState.options)
    lists[`deliveries ${state}`] = await count(`/deliveries?state=${state}`);
  for (const kind of ['delivery', 'event'])
    lists[`dead letters ${kind}`] = await count(`/dead-letters?kind=${kind}`);
  const { data: summary } = await operator.call<{ deliveries: number; events: number }>(
    'GET',
    '/dead-letters/summary',
  );
  const { data: overview } = await operator.call<OverviewRecord>('GET', `/overview?minutes=${MINUTES}`);
  const backlog = Object.entries(overview.backlog).map(([what, { count }]) => [`backlog ${what}`, count]);
  const figures = {
    'dead letters delivery': summary.deliveries,
    'dead letters event': summary.events,
    'overview dead letters delivery': overview.dead_letters.deliveries.count,
    'overview dead letters event': overview.dead_letters.events.count,
    ...(Object.fromEntries(backlog) as Record<string, number>),
    ...Object.fromEntries(
      Object.entries(overview.totals).map(([what, count]) => [`overview ${what}`, count]),
    ),
  };
  return { lists, figures };
}

/** The table of an organisation is the log of that receiver. */
export async function collectRows(files: RunFiles, databaseUrl: string, organisation: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ event_id: string; type: string }>(
    `SELECT event_id, type FROM ${tableOf(organisation)}`,
  );
  await client.end();
  for (const row of rows) {
    files.write('receivers', {
      at: files.now(),
      organisation,
      receiver: 'postgres',
      event: row.event_id,
      delivery: null,
      attempt: null,
      signature: null,
      body: JSON.stringify(row),
      behaviour: 'well',
      status: 200,
      took: true,
    });
  }
}
