import { seconds } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { EntityFilter, EntityStore } from '../../../core/stores/entities.ts';
import type { EventFilter, Journal } from '../../../core/stores/journal.ts';

/** So many searches of one organisation are under way at once: everybody reads through the same few connections. */
const AT_ONCE = 2;
/** More than all pages of an organisation that follow something search for at once. */
const MOST_WAITING = 100;
const STUCK_AFTER_MS = seconds(10);

/** A journal whose searches wait for their turn only as long as somebody waits for them: until the signal. */
export type LimitedJournal = Limited<Journal, EventSearch>;
/** Entities, likewise. */
export type LimitedEntities = Limited<EntityStore, 'listEntities'>;

type EventSearch = 'listEvents' | 'listEventTimes';

type Limited<Store, Search extends keyof Store> = Omit<Store, Search> & {
  [Name in Search]: Store[Name] extends (...args: never[]) => unknown
    ? (...search: WithSignal<Store[Name]>) => ReturnType<Store[Name]>
    : never;
};

type WithSignal<Search extends (...args: never[]) => unknown> = [...Parameters<Search>, signal?: AbortSignal];

interface Line {
  underWay: number;
  readonly waiting: Set<() => void>;
}

/**
 * The stores that the dashboard searches, whose searches take turns within their organisation. A search goes through
 * events for as long as its budget allows, and a page that follows one searches again and again: many of them would
 * leave no room for anybody else. What an index answers never waits.
 */
export function withSearchLimit<
  J extends Pick<Journal, EventSearch>,
  E extends Pick<EntityStore, 'listEntities'>,
>(
  { journal, entities }: { readonly journal: J; readonly entities: E },
  { stuckAfterMs = STUCK_AFTER_MS } = {},
): {
  readonly journal: Omit<J, EventSearch> & Pick<LimitedJournal, EventSearch>;
  readonly entities: Omit<E, 'listEntities'> & Pick<LimitedEntities, 'listEntities'>;
} {
  const lines = new Map<string, Line>();

  async function inTurn<Found>(
    orgId: string,
    search: () => Promise<Found>,
    signal?: AbortSignal,
  ): Promise<Found> {
    const line: Line = lines.get(orgId) ?? { underWay: 0, waiting: new Set() };
    lines.set(orgId, line);
    if (line.underWay < AT_ONCE) line.underWay++;
    else {
      if (line.waiting.size >= MOST_WAITING) throw tooMany();
      await takePlace(line.waiting, stuckAfterMs, signal);
    }
    try {
      return await search();
    } finally {
      // Whoever has ended leaves its place to the next.
      const [next] = line.waiting;
      if (next) next();
      else if (--line.underWay === 0) lines.delete(orgId);
    }
  }

  return {
    journal: {
      ...journal,
      listEvents: (orgId, filter, page, signal) =>
        searchesEvents(filter)
          ? inTurn(orgId, () => journal.listEvents(orgId, filter, page), signal)
          : journal.listEvents(orgId, filter, page),
      listEventTimes: (orgId, filter, bounds, signal) =>
        searchesEvents(filter)
          ? inTurn(orgId, () => journal.listEventTimes(orgId, filter, bounds), signal)
          : journal.listEventTimes(orgId, filter, bounds),
    },
    entities: {
      ...entities,
      listEntities: (orgId, filter, page, signal) =>
        searchesEntities(filter)
          ? inTurn(orgId, () => entities.listEntities(orgId, filter, page), signal)
          : entities.listEntities(orgId, filter, page),
    },
  };
}

/** Resolves when it is called; rejects, and is out of the line, once nobody waits for it or it took too long. */
function takePlace(waiting: Line['waiting'], stuckAfterMs: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    waiting.delete(turn);
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  };
  const turn = () => {
    leave();
    resolve();
  };
  const giveUp = () => {
    leave();
    reject(tooMany());
  };
  const timer = setTimeout(giveUp, stuckAfterMs);
  waiting.add(turn);
  if (signal?.aborted) giveUp();
  else signal?.addEventListener('abort', giveUp);
  return promise;
}

const tooMany = () =>
  new Problem('rate_limited', {
    message: 'Too many searches are in progress in this organisation. Try again shortly.',
    retryAfter: 5,
  });

/** By time and by entity, events stand in the order of an index. */
const searchesEvents = ({ after: _after, before: _before, entity: _entity, ...rest }: EventFilter): boolean =>
  Object.values(rest).some(value => value !== undefined);

const searchesEntities = ({ externalId, traits = [] }: EntityFilter): boolean =>
  externalId !== undefined || traits.length > 0;
