import type { deadLetterFilter } from '@sluice/contract/dashboard-deliveries';
import type { DeadDelivery, DeadLetter, FailedEvent } from '@sluice/contract/dashboard-letters';
import type { z } from 'zod';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { StoredFailure } from '../../../core/stores/dead-letters.ts';
import type { StoredDelivery } from '../../../core/stores/deliveries.ts';
import { RETRY_JOB } from '../../../core/stores/job-requests.ts';
import type { Job } from '../../../core/stores/pipelines.ts';
import type { Storage } from '../../../core/stores/storage.ts';
import type { Calls } from '../calls.ts';
import { showStoredFilter, toStoredFilter } from './dead-letter-filter.ts';
import { MOST_LISTED, showDelivery } from './deliveries.ts';
import { toRow } from './events.ts';
import { showJob } from './jobs.ts';

type DeadLetterStorage = Pick<
  Storage,
  | 'listDeliveries'
  | 'findDelivery'
  | 'listAttempts'
  | 'countDeliveries'
  | 'listFailedEvents'
  | 'listFailures'
  | 'countFailedEvents'
  | 'listDeadGroups'
  | 'listFailedGroups'
  | 'findEvent'
  | 'audited'
  | 'listJobs'
>;
type Filter = z.output<typeof deadLetterFilter>;

/** A delivery that is dead, or an event that failed, of which only the id is known yet. */
type Letter = StoredDelivery | { readonly id: string };

interface Found {
  readonly letters: readonly Letter[];
  readonly next: string | null;
}

const EXPORTED_AT_ONCE = 100;
/** Among so many of the latest jobs one that is still at it is looked for. */
const JOBS_LOOKED_AT = 100;
/** Who has more than this of something knows enough. */
const MOST_COUNTED = 10_000;

/** Ids of both sorts end in the same kind of time: what stands behind the prefix orders them all. */
const placeOf = (id: string): string => id.slice(id.indexOf('_') + 1);

const wantsDeliveries = ({ kind }: Filter): boolean => kind !== 'event';

/** An event that failed in its pipeline was going to no destination, and has no failure code. */
const wantsEvents = ({ kind, destination, code }: Filter): boolean =>
  kind !== 'delivery' && destination === undefined && code === undefined;

/** Deliveries that are dead and events that failed, newest first: what did not arrive, and why. */
export function deadLetterCalls(
  calls: Calls,
  {
    storage,
    clock,
    onDeliveriesDue,
  }: { readonly storage: DeadLetterStorage; readonly clock: Clock; onDeliveriesDue(): void },
): void {
  async function find(orgId: string, given: Filter, limit: number, below: string | null): Promise<Found> {
    const { kind: _, ...rest } = given;
    const filter = toStoredFilter(rest);
    const deliveries = wantsDeliveries(given)
      ? await storage.listDeliveries(
          orgId,
          { ...filter, state: 'dead' },
          { limit: limit + 1, below: below && `dlv_${below}` },
        )
      : [];
    const events = wantsEvents(given)
      ? await storage.listFailedEvents(orgId, { ...filter, limit: limit + 1, below: below && `evt_${below}` })
      : [];
    const all = [...deliveries, ...events.map(id => ({ id }))].sort((a, b) =>
      placeOf(a.id) < placeOf(b.id) ? 1 : -1,
    );
    const letters: Letter[] = all.slice(0, limit);
    const last = letters.at(-1);
    return { letters, next: all.length > letters.length && last ? placeOf(last.id) : null };
  }

  async function show(orgId: string, letters: readonly Letter[], most?: number): Promise<DeadLetter[]> {
    const failed = letters.filter(letter => !('attempt' in letter)).map(({ id }) => id);
    const failures = Map.groupBy(await storage.listFailures(orgId, failed), ({ eventId }) => eventId);
    const shown = await Promise.all(
      letters.map(letter =>
        'attempt' in letter ? ofDelivery(letter, most) : ofEvent(letter.id, failures.get(letter.id) ?? []),
      ),
    );
    return shown.filter(letter => letter !== null);
  }

  async function ofDelivery(delivery: StoredDelivery, most?: number): Promise<DeadDelivery> {
    const attempts = await storage.listAttempts(delivery.orgId, delivery.id);
    return {
      kind: 'delivery',
      ...showDelivery(delivery, attempts, most),
      reason: attempts.at(-1)?.message ?? delivery.code,
    };
  }

  /** A reader may take minutes over a page of them, in which some are retried, discarded or erased. */
  async function stillDead(orgId: string, letter: Letter): Promise<Letter[]> {
    if (!('attempt' in letter)) return [letter];
    const delivery = await storage.findDelivery(orgId, letter.id);
    return delivery?.state === 'dead' ? [delivery] : [];
  }

  /** Whole, and with the payload of its event: one at a time, since a hundred of them may not fit into memory. */
  async function* exportLines(orgId: string, filter: Filter): AsyncGenerator<string> {
    let below: string | null = null;
    do {
      const { letters, next }: Found = await find(orgId, filter, EXPORTED_AT_ONCE, below);
      for (const letter of letters) {
        const [row] = await show(orgId, await stillDead(orgId, letter));
        if (row === undefined) continue;
        const event = await storage.findEvent(orgId, row.event_id);
        const payload = event === null || event.erasedAt !== null ? 'null' : event.payload;
        // As the text it is stored as: read and written again, some numbers would change.
        yield `${JSON.stringify(row).slice(0, -1)},"payload":${payload}}\n`;
      }
      below = next;
    } while (below !== null);
  }

  async function count(orgId: string, given: Filter, most?: number) {
    const { kind: _, ...rest } = given;
    const filter = toStoredFilter(rest);
    const [deliveries, events] = await Promise.all([
      wantsDeliveries(given) ? storage.countDeliveries(orgId, { ...filter, state: 'dead' }, most) : 0,
      wantsEvents(given) ? storage.countFailedEvents(orgId, filter, most) : 0,
    ]);
    return { deliveries, events };
  }

  /** Two at once would each run an event that failed: it would be delivered twice for a double click. */
  async function findUnderWay(orgId: string, request: string): Promise<Job | undefined> {
    const latest = await storage.listJobs(orgId, { limit: JOBS_LOOKED_AT, below: null });
    return latest.find(job => job.kind === RETRY_JOB && job.finishedAt === null && job.request === request);
  }

  calls.on('GET /dead-letters', 'read', async call => {
    const { limit, cursor, ...filter } = call.query();
    const page = call.page('dead-letters', { limit, cursor });
    const { orgId } = call.session;
    const { letters, next } = await find(orgId, filter, page.limit, page.position);
    return page.answer(await show(orgId, letters, MOST_LISTED), next);
  });

  calls.on('GET /dead-letters/summary', 'read', async call => {
    const filter = call.query();
    const { kind: _, ...rest } = filter;
    const stored = toStoredFilter(rest);
    const { orgId } = call.session;
    return call.answer({
      ...(await count(orgId, filter, MOST_COUNTED)),
      most: MOST_COUNTED,
      by_destination: wantsDeliveries(filter)
        ? await storage.listDeadGroups(orgId, stored, MOST_COUNTED)
        : [],
      by_pipeline: wantsEvents(filter) ? await storage.listFailedGroups(orgId, stored, MOST_COUNTED) : [],
    });
  });

  calls.on('POST /dead-letters/retry', 'deliveries.change', async call => {
    const { filter } = await call.body();
    const { orgId, email } = call.session;
    const stored = toStoredFilter(filter);
    const request = JSON.stringify({
      filter: stored,
      deliveries: wantsDeliveries(filter),
      events: wantsEvents(filter),
    });
    const underWay = await findUnderWay(orgId, request);
    if (underWay) return call.answer(showJob(underWay));
    const now = clock.now();
    const { deliveries, events } = await count(orgId, filter);
    const total = deliveries + events;
    const job: Job = {
      id: newId('job', now),
      orgId,
      kind: RETRY_JOB,
      state: 'running',
      request,
      total,
      done: 0,
      failed: 0,
      position: null,
      notes: [],
      createdBy: email,
      createdAt: now,
      finishedAt: null,
    };
    const record = call.record('dead_letters.retried', job.id, { filter: showStoredFilter(stored), total });
    await storage.audited(record).createJob(job);
    onDeliveriesDue();
    return call.answer(showJob(job), 201);
  });

  calls.on('POST /events/:id/discard', 'deliveries.change', async call => {
    const event = await storage.findEvent(call.session.orgId, call.param('id'));
    if (event === null) throw new Problem('not_found');
    const changes = storage.audited(call.record('event.discarded', event.id));
    if (!(await changes.discardFailedEvent(call.session.orgId, event.id)))
      throw new Problem('conflict', { message: 'This event is not among the dead letters.' });
    return call.answer(toRow(event));
  });

  calls.on('GET /dead-letters/export', 'read', async call => {
    const lines = exportLines(call.session.orgId, call.query());
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(Buffer.from(value));
      },
      async cancel() {
        await lines.return(undefined);
      },
    });
    const file = new Response(body, {
      headers: {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': 'attachment; filename="dead-letters.ndjson"',
      },
    });
    return call.respond(file);
  });
}

/** Null where it was mended or discarded since it was found. */
function ofEvent(id: string, failures: readonly StoredFailure[]): FailedEvent | null {
  const [first] = failures;
  if (first === undefined) return null;
  return {
    kind: 'event',
    id,
    event_id: id,
    event_type: first.eventType,
    state: first.eventState,
    received_at: toRfc3339(first.receivedAt),
    failures: failures.map(failure => ({
      pipeline: { id: failure.pipelineId, name: failure.pipelineName, version: failure.version },
      step: failure.step,
      reason: failure.reason,
    })),
    reason: failures.at(-1)?.reason ?? null,
  };
}
