import { type Clock, minutes, seconds } from '../core/clock.ts';
import { idTime } from '../core/ids.ts';
import {
  arrow,
  type Count,
  type CounterStore,
  EVENT_TYPES,
  MOST_COUNTED_TYPES,
  STEP_DROPPED,
  stepOf,
  UNWRITTEN_MS,
  WHOLE_ORGANISATION,
} from '../core/stores/counters.ts';
import type { ClaimedDelivery, EndedAttempt } from '../core/stores/delivery-queue.ts';
import type { SettledEvent, SettledRun, SettleResult } from '../core/stores/event-queue.ts';
import type { AppendRequest, StoredEvents } from '../core/stores/journal.ts';
import { latencyName, packedLatencyName } from '../core/stores/latency.ts';
import { createCountedTypes } from './counted-types.ts';

/**
 * What happened, counted by the minute for the dashboard's charts. Whoever calls has committed what it reports. Here it
 * only adds to numbers in memory; once a second they are added to what storage has, so that several nodes add up. What
 * a process that is killed took with it is counted again: see `recountMinute`.
 *
 * Events stand in the minute they came in, of the organisation, of a source, of a pipeline and its steps, and of what leads to
 * it; deliveries, and how long they took, in the minute they were made, of the organisation, of a destination and of what leads
 * to that. So do they in every list, whenever they come to their end: so many as are counted are listed. All else counts when it
 * happened: attempts that fail, requests that are rejected, and what has died, which is how alerts know where to look.
 *
 * A list has an event once, so an event that is replayed, or retried after it failed, is no second one: it moves from the number
 * of its former state to that of its new one, and so it does within each pipeline that runs it again, of whose runs the latest
 * counts. At a step of one version it counts when it first comes to it. What models were asked for it is paid for each time, and
 * counts each time. If that comes days later, the minute may be one of those that are kept no longer: it is written all the same
 * and removed with the next round, and the hour, which it is added to at once, is the one that anybody reads so far back.
 */
export interface CountKeeper {
  /** What of a request is new is on disk: so many events. */
  received(request: AppendRequest, events: number, stored: StoredEvents): void;
  /** A source rejected a request. */
  rejected(source: { readonly orgId: string; readonly id: string }): void;
  /** An event that came through these sources was settled so, and its deliveries were made at this moment. */
  settled(event: SettledEvent, result: Settled, sourceIds: readonly string[], at: number): void;
  attempted(delivery: ClaimedDelivery, next: EndedAttempt['next']): void;
  /** So many deliveries were ended because their destination is down. */
  expired(orgId: string, destinationId: string, deliveries: number): void;
  /** Writes what was counted; of steps only what is due, unless it is the last time. */
  flush(isLast?: boolean): Promise<void>;
}

type Settled = Extract<SettleResult, { kind: 'settled' }>;
type RunEnd = Pick<SettledRun, 'outcome' | 'version' | 'step'>;

/** So that the writer is never busy with counts for long. */
const MOST_AT_ONCE = 500;
const MINUTE = minutes(1);
/**
 * Steps are counted in classes of latency, so that each pipeline has more numbers of them than of all else, and one page
 * that shows them. They are written less often: what many seconds add to one row is written once.
 */
const STEPS_EVERY_MS = seconds(5);

export function createCountKeeper(
  counters: Pick<CounterStore, 'addCounts' | 'listCountedTypes'>,
  clock: Clock,
  /** As which node this process counts; null while it is none. */
  self: () => string | null,
  elapsed: () => number = () => performance.now(),
): CountKeeper {
  const types = createCountedTypes(counters, clock);
  let counts = new Counts();
  /** The node that the first of them was counted as: dead meanwhile, its counts may not go in under the next one's name. */
  let countedBy: string | null = null;
  let countedSince: number | null = null;
  /** Some of them may be written already: storage failed, and a commit without an answer may have landed. */
  let isInDoubt = false;
  /** Of steps. Nobody counts these again, so that it does not matter as which node. */
  let ofSteps = new Counts();
  let stepsWrittenAt = elapsed();
  /** Every run names the same few steps. */
  let steps = new StepSubjects();

  function add(orgId: string, subject: string, name: string, amount = 1, now = clock.now()): void {
    if (amount === 0) return;
    countedSince ??= elapsed();
    counts.add(orgId, subject, name, amount, now - (now % MINUTE));
  }

  /** A run of one type is one addition, so that a batch of one type costs next to nothing. */
  function addTypes({ orgId, events }: AppendRequest, stored: StoredEvents, at: number): void {
    const minute = at - (at % MINUTE);
    for (let n = 0; n < events.length; ) {
      const type = events[n]?.type ?? '';
      let amount = 0;
      for (; n < events.length && events[n]?.type === type; n++) if (stored[n]?.duplicate === false) amount++;
      if (amount > 0) counts.addType(orgId, type, amount, minute, types.isCounted);
    }
  }

  /** Without the types that are not counted by name. */
  async function withCountedTypes(all: readonly Count[]): Promise<Count[]> {
    const ofTypes = Map.groupBy(
      all.filter(({ subject }) => subject === EVENT_TYPES),
      ({ orgId }) => orgId,
    );
    const counted = new Map<string, ReadonlySet<string>>();
    for (const [orgId, some] of ofTypes) {
      counted.set(
        orgId,
        await types.admit(
          orgId,
          some.map(({ name }) => name),
        ),
      );
    }
    return all.filter(({ orgId, subject, name }) => subject !== EVENT_TYPES || counted.get(orgId)?.has(name));
  }

  /** Each step that a run came to stands in one class of latency: together these are how many came to it. */
  function addDurations(
    orgId: string,
    { pipelineId, version }: SettledRun,
    durations: string,
    receivedAt: number,
    stepsBefore: number,
  ): void {
    // Written with how many runs there were: they are shown side by side.
    add(orgId, pipelineId, packedLatencyName(durations, 0), 1, receivedAt);
    const minute = receivedAt - (receivedAt % MINUTE);
    for (let place = stepsBefore; place < durations.length - 1; place++) {
      const name = packedLatencyName(durations, place + 1);
      ofSteps.add(orgId, steps.of(pipelineId, version, place), name, 1, minute);
    }
  }

  /** What became of an event in a pipeline, and at which of its steps. */
  function addEnd(orgId: string, pipelineId: string, end: RunEnd, amount: 1 | -1, receivedAt: number): void {
    const { outcome, version, step } = end;
    add(orgId, pipelineId, outcome, amount, receivedAt);
    if (outcome !== 'dropped' || step === null) return;
    const minute = receivedAt - (receivedAt % MINUTE);
    ofSteps.add(orgId, steps.of(pipelineId, version, step), STEP_DROPPED, amount, minute);
  }

  function takeAll(isLast: boolean): Count[] {
    const all = counts.all();
    counts = new Counts();
    if (!isLast && elapsed() - stepsWrittenAt < STEPS_EVERY_MS) return all;
    all.push(...ofSteps.all());
    ofSteps = new Counts();
    steps = new StepSubjects();
    stepsWrittenAt = elapsed();
    return all;
  }

  return {
    received(request, events, stored) {
      const { orgId, sourceId, events: sent } = request;
      const [first] = sent;
      const at = first === undefined ? clock.now() : idTime(first.id);
      add(orgId, WHOLE_ORGANISATION, 'received', events, at);
      if (sourceId !== null) add(orgId, sourceId, 'received', events, at);
      addTypes(request, stored, at);
    },

    rejected({ orgId, id }) {
      add(orgId, id, 'rejected');
    },

    settled({ orgId, eventId, round, runs, matchedSources, tallies }, result, sourceIds, at) {
      const { state, before, isCounted, gone = [], repeated = [] } = result;
      const receivedAt = idTime(eventId);
      if (state !== null && state !== before && isCounted !== true) {
        add(orgId, WHOLE_ORGANISATION, state, 1, receivedAt);
        if (before !== undefined) add(orgId, WHOLE_ORGANISATION, before, -1, receivedAt);
      }
      if (round === 'first')
        for (const { id } of matchedSources ?? []) add(orgId, id, 'received', 1, receivedAt);
      for (const { pipelineId, version, step, tally, count } of tallies) {
        add(orgId, pipelineId, tally, count, receivedAt);
        const minute = receivedAt - (receivedAt % MINUTE);
        ofSteps.add(orgId, steps.of(pipelineId, version, step), tally, count, minute);
      }
      for (const run of runs) {
        const { pipelineId, outcome, destinations } = run;
        const again = repeated.find(one => one.pipelineId === pipelineId);
        if (again === undefined) {
          for (const sourceId of sourceIds) add(orgId, arrow(sourceId, pipelineId), 'runs', 1, receivedAt);
        }
        if (again?.inPlaceOf) addEnd(orgId, pipelineId, again.inPlaceOf, -1, receivedAt);
        if (again?.inPlaceOf !== null) addEnd(orgId, pipelineId, run, 1, receivedAt);
        if (run.durations) addDurations(orgId, run, run.durations, receivedAt, again?.stepsBefore ?? 0);
        if (outcome === 'failed') add(orgId, pipelineId, 'dead');
        for (const destinationId of destinations) {
          if (!gone.includes(destinationId)) {
            add(orgId, arrow(pipelineId, destinationId), 'deliveries', 1, at);
          }
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
      const latency = latencyName(clock.now() - event.receivedAt);
      add(orgId, WHOLE_ORGANISATION, latency, 1, idTime(id));
      add(orgId, destinationId, latency, 1, idTime(id));
    },

    expired(orgId, destinationId, deliveries) {
      add(orgId, destinationId, 'dead', deliveries);
    },

    async flush(isLast = false) {
      countedBy ??= self();
      // It joins before anything else. What was accepted before that waits for it.
      if (countedBy === null) return;
      const [by, since, wasInDoubt] = [countedBy, countedSince, isInDoubt];
      const all = takeAll(isLast);
      [countedBy, countedSince, isInDoubt] = [self(), null, false];
      const putBack = (unwritten: readonly Count[], areInDoubt: boolean) => {
        [countedBy, countedSince, isInDoubt] = [by, since, areInDoubt];
        for (const { orgId, subject, name, amount, at } of unwritten) add(orgId, subject, name, amount, at);
      };
      const waiting = await withCountedTypes(all).catch((error: unknown) => {
        putBack(all, wasInDoubt);
        throw error;
      });
      for (let from = 0; from < waiting.length; from += MOST_AT_ONCE) {
        const isOverdue = since !== null && elapsed() - since > UNWRITTEN_MS;
        try {
          const some = waiting.slice(from, from + MOST_AT_ONCE);
          await counters.addCounts(some, isOverdue || wasInDoubt ? null : by);
        } catch (error) {
          putBack(waiting.slice(from), true);
          throw error;
        }
      }
    },
  };
}

/** The subjects of steps, so that no text is put together for each event. */
class StepSubjects {
  private readonly ofPipelines = new Map<string, Map<number, Map<number, string>>>();

  of(pipelineId: string, version: number, place: number): string {
    const places = within(within(this.ofPipelines, pipelineId), version);
    const known = places.get(place);
    if (known !== undefined) return known;
    const made = stepOf(pipelineId, version, place);
    places.set(place, made);
    return made;
  }
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

  /** Of a minute no more types are kept than may be counted by name, so that made-up ones take no memory. */
  addType(
    orgId: string,
    type: string,
    amount: number,
    at: number,
    isCounted: (orgId: string, type: string) => boolean,
  ): void {
    const names = within(within(within(this.byMinute, at), orgId), EVENT_TYPES);
    const known = names.get(type);
    if (known === undefined && names.size >= MOST_COUNTED_TYPES && !isCounted(orgId, type)) return;
    names.set(type, (known ?? 0) + amount);
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
