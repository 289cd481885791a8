import { type Clock, minutes } from '../core/clock.ts';
import { idTime } from '../core/ids.ts';
import {
  arrow,
  type Count,
  type CounterStore,
  UNWRITTEN_MS,
  WHOLE_ORGANISATION,
} from '../core/stores/counters.ts';
import type { ClaimedDelivery, EndedAttempt } from '../core/stores/delivery-queue.ts';
import type { SettledEvent, SettleResult } from '../core/stores/event-queue.ts';
import type { AppendRequest } from '../core/stores/journal.ts';
import { latencyName } from '../core/stores/latency.ts';

/**
 * What happened, counted by the minute for the dashboard's charts. Whoever calls has committed what it reports. Here it
 * only adds to numbers in memory; once a second they are added to what storage has, so that several nodes add up. What
 * a process that is killed took with it is counted again: see `recountMinute`.
 *
 * Of the organisation, events stand in the minute they came in, and deliveries of it and of a destination in the minute
 * they were made, whenever they end, as they do in every list: so many as are counted are listed. An event that a replay
 * gives another state moves from the one number to the other. All else counts when it happened.
 */
export interface CountKeeper {
  /** So many new events are on disk. */
  received(request: AppendRequest, events: number): void;
  /** An event that came through these sources was settled so. */
  settled(event: SettledEvent, result: Settled, sourceIds: readonly string[]): void;
  attempted(delivery: ClaimedDelivery, next: EndedAttempt['next']): void;
  /** So many deliveries were ended because their destination is down. */
  expired(orgId: string, destinationId: string, deliveries: number): void;
  flush(): Promise<void>;
}

type Settled = Extract<SettleResult, { kind: 'settled' }>;

/** So that the writer is never busy with counts for long. */
const MOST_AT_ONCE = 500;
const MINUTE = minutes(1);

export function createCountKeeper(
  counters: Pick<CounterStore, 'addCounts'>,
  clock: Clock,
  /** As which node this process counts; null while it is none. */
  self: () => string | null,
  elapsed: () => number = () => performance.now(),
): CountKeeper {
  let counts = new Counts();
  /** The node that the first of them was counted as: dead meanwhile, its counts may not go in under the next one's name. */
  let countedBy: string | null = null;
  let countedSince: number | null = null;

  function add(orgId: string, subject: string, name: string, amount = 1, now = clock.now()): void {
    if (amount === 0) return;
    countedSince ??= elapsed();
    counts.add(orgId, subject, name, amount, now - (now % MINUTE));
  }

  return {
    received({ orgId, sourceId, events: [first] }, events) {
      add(orgId, WHOLE_ORGANISATION, 'received', events, first && idTime(first.id));
      if (sourceId !== null) add(orgId, sourceId, 'received', events);
    },

    settled({ orgId, eventId, round, runs, matchedSources }, result, sourceIds) {
      const { state, before, isCounted, gone = [] } = result;
      if (state !== null && state !== before && isCounted !== true) {
        const receivedAt = idTime(eventId);
        add(orgId, WHOLE_ORGANISATION, state, 1, receivedAt);
        if (before !== undefined) add(orgId, WHOLE_ORGANISATION, before, -1, receivedAt);
      }
      if (round === 'first') for (const { id } of matchedSources ?? []) add(orgId, id, 'received');
      for (const { pipelineId, outcome, destinations } of runs) {
        add(orgId, pipelineId, outcome);
        for (const sourceId of sourceIds) add(orgId, arrow(sourceId, pipelineId), 'runs');
        for (const destinationId of destinations) {
          if (!gone.includes(destinationId)) add(orgId, arrow(pipelineId, destinationId), 'deliveries');
        }
      }
    },

    attempted({ orgId, id, destinationId, event, isReplay, isRetried }, next) {
      if (next.state !== 'delivered') add(orgId, destinationId, 'failed');
      if (next.state === 'retrying') return;
      if (next.state !== 'delivered') return add(orgId, destinationId, next.state);
      if (next.lateAt === undefined) {
        add(orgId, destinationId, 'delivered', 1, idTime(id));
        add(orgId, WHOLE_ORGANISATION, 'delivered', 1, idTime(id));
      }
      // How long a person took to ask for another try says nothing of the service.
      if (isReplay || isRetried) return;
      add(orgId, WHOLE_ORGANISATION, latencyName(clock.now() - event.receivedAt));
    },

    expired(orgId, destinationId, deliveries) {
      add(orgId, destinationId, 'dead', deliveries);
    },

    async flush() {
      countedBy ??= self();
      // It joins before anything else. What was accepted before that waits for it.
      if (countedBy === null) return;
      const [by, since] = [countedBy, countedSince];
      const waiting = counts.all();
      counts = new Counts();
      [countedBy, countedSince] = [self(), null];
      for (let from = 0; from < waiting.length; from += MOST_AT_ONCE) {
        const isOverdue = since !== null && elapsed() - since > UNWRITTEN_MS;
        try {
          await counters.addCounts(waiting.slice(from, from + MOST_AT_ONCE), isOverdue ? null : by);
        } catch (error) {
          [countedBy, countedSince] = [by, since];
          for (const { orgId, subject, name, amount, at } of waiting.slice(from)) {
            add(orgId, subject, name, amount, at);
          }
          throw error;
        }
      }
    },
  };
}

/** Numbers by minute, organisation, subject and name: each event adds to ten of them, so no key is put together for it. */
class Counts {
  private readonly byMinute = new Map<number, Map<string, Map<string, Map<string, number>>>>();

  add(orgId: string, subject: string, name: string, amount: number, at: number): void {
    const organisations = within(this.byMinute, at);
    const subjects = within(organisations, orgId);
    const names = within(subjects, subject);
    names.set(name, (names.get(name) ?? 0) + amount);
  }

  all(): Count[] {
    const all: Count[] = [];
    for (const [at, organisations] of this.byMinute) {
      for (const [orgId, subjects] of organisations) {
        for (const [subject, names] of subjects) {
          for (const [name, amount] of names) all.push({ orgId, subject, name, at, amount });
        }
      }
    }
    return all;
  }
}

function within<Key, OfKey, Value>(map: Map<Key, Map<OfKey, Value>>, key: Key): Map<OfKey, Value> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = new Map<OfKey, Value>();
  map.set(key, made);
  return made;
}
