import { entityRefOf } from '../../core/event/scope.ts';
import type { ClaimedEvent } from '../../core/stores/event-queue.ts';
import type { AppendRequest, AppendResult, Unrouted } from '../../core/stores/journal.ts';
import { Fifo } from '../../core/work/fifo.ts';
import type { Reservation } from '../../core/work/reservation.ts';
import { createTally, type Load } from './tally.ts';

/**
 * What this node has accepted and works on from memory. It is stored as claimed from its first moment, so that it takes
 * neither a claim nor a read to begin with it. There is room for so much, of each organisation and of all; what does not
 * fit waits in storage, for anybody to claim. Organisations take turns.
 */
export interface Intake {
  /** Room for what is about to be stored, with a token for each request that has some; null where none has. */
  reserve(requests: readonly AppendRequest[], token: string): Reservation<AppendRequest, AppendResult> | null;
  /** The next event of the organisation whose turn it is, of those that do not have enough under way. */
  take(hasEnough: (orgId: string) => boolean): ClaimedEvent | null;
  /** These will not be processed any more. */
  forget(orgId: string, eventIds: readonly string[]): void;
  /** Of all that was reserved for and not taken. */
  tokens(): string[];
  /** How many are about to be stored. */
  reserved(): number;
  /** Whatever is here belongs to others. */
  clear(): void;
}

/** After a crash all of it is tried singly: no more than a few seconds' work. */
const MOST: Load = { events: 4_096, bytes: 32 * 1024 * 1024 };
/** So that there is room for others. */
const MOST_OF_ONE: Load = { events: 2_048, bytes: 16 * 1024 * 1024 };

export function createIntake(options: {
  /** Where no pipeline listens to what comes in, there is nothing to be done for it. */
  findUnrouted(request: AppendRequest): Unrouted | null;
  onUnrouted(request: AppendRequest, result: AppendResult): void;
  onStored(): void;
}): Intake {
  const held = createTally();
  const tokens = new Map<string, number>();
  const queues = new Map<string, Fifo<ClaimedEvent>>();
  let reserved = 0;
  let clearings = 0;

  const fits = (load: Readonly<Load>, more: Load, most: Load): boolean =>
    load.events + more.events <= most.events && load.bytes + more.bytes <= most.bytes;

  function hold(orgId: string, token: string, load: Load, by: 1 | -1): void {
    held.add(orgId, load, by);
    const left = (tokens.get(token) ?? 0) + by * load.events;
    if (left > 0) tokens.set(token, left);
    else tokens.delete(token);
  }

  function reserveOne(request: AppendRequest, token: string): AppendRequest {
    const unrouted = options.findUnrouted(request);
    if (unrouted !== null) return { ...request, unrouted };
    const { orgId } = request;
    const load = loadOf(request);
    if (!fits(held.all, load, MOST) || !fits(held.of(orgId), load, MOST_OF_ONE)) return request;
    hold(orgId, token, load, 1);
    return { ...request, claimToken: token };
  }

  function keep(request: AppendRequest, result: AppendResult | undefined): void {
    const { orgId, claimToken: token = '', events } = request;
    const queue = queues.get(orgId) ?? new Fifo<ClaimedEvent>();
    for (const [i, event] of events.entries()) {
      const isNew = result?.kind === 'stored' && result.events[i]?.duplicate === false;
      if (isNew) queue.push(toClaimed(request, event, token));
      else hold(orgId, token, { events: 1, bytes: sizeOf(event.payload, event.headers) }, -1);
    }
    if (queue.length > 0) queues.set(orgId, queue);
  }

  return {
    reserve(requests, token) {
      const given = requests.map(request => reserveOne(request, token));
      const isOurs = given.map((request, i) => request !== requests[i]);
      if (!isOurs.includes(true)) return null;
      const asOf = clearings;
      reserved++;
      const end = (results: readonly AppendResult[]) => {
        reserved--;
        for (const [i, request] of given.entries()) {
          const result = results[i];
          if (request.unrouted !== undefined) {
            if (result !== undefined) options.onUnrouted(request, result);
          } else if (isOurs[i] && asOf === clearings) keep(request, result);
        }
      };
      return {
        items: given,
        stored(results) {
          end(results);
          options.onStored();
        },
        failed: () => end([]),
      };
    },
    take(hasEnough) {
      for (const [orgId, queue] of queues) {
        if (hasEnough(orgId)) continue;
        // Behind all others, for its next turn.
        queues.delete(orgId);
        const event = queue.shift();
        if (queue.length > 0) queues.set(orgId, queue);
        if (event === undefined) continue;
        hold(orgId, event.token, { events: 1, bytes: sizeOf(event.payload, event.event.headers) }, -1);
        return event;
      }
      return null;
    },
    forget(orgId, eventIds) {
      const queue = queues.get(orgId);
      if (queue === undefined) return;
      const gone = new Set(eventIds);
      for (const { token, payload, event } of queue.remove(({ event }) => gone.has(event.id)))
        hold(orgId, token, { events: 1, bytes: sizeOf(payload, event.headers) }, -1);
      if (queue.length === 0) queues.delete(orgId);
    },
    tokens: () => [...tokens.keys()],
    reserved: () => reserved,
    clear() {
      clearings++;
      queues.clear();
      held.clear();
      tokens.clear();
    },
  };
}

const sizeOf = (payload: string, headers: string | undefined): number =>
  payload.length + (headers?.length ?? 0);

const loadOf = ({ events }: AppendRequest): Load => ({
  events: events.length,
  bytes: events.reduce((sum, { payload, headers }) => sum + sizeOf(payload, headers), 0),
});

const toClaimed = (
  { orgId, sourceId, receivedAt }: AppendRequest,
  event: AppendRequest['events'][number],
  token: string,
): ClaimedEvent => ({
  orgId,
  event: {
    id: event.id,
    type: event.type,
    icon: event.icon,
    senderId: event.senderId,
    entity: entityRefOf(event.entityKind, event.entityExternalId),
    happenedAt: event.happenedAt,
    receivedAt,
    ...(event.headers === undefined ? {} : { headers: event.headers }),
  },
  payload: event.payload,
  sourceId,
  jobId: null,
  plan: null,
  token,
  isBornClaimed: true,
  tries: 1,
});
