import { type Clock, seconds } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import type { StoredEvent } from '../../../core/event/event.ts';
import { idFloor, idTime, isId } from '../../../core/ids.ts';
import { stringifyJson } from '../../../core/json/json.ts';
import type { EventFilter, EventPage, Journal } from '../../../core/stores/journal.ts';
import { END, type LiveFeed, message } from '../../../telemetry/live-feed.ts';
import type { LoginSessions } from '../access/sessions.ts';
import type { Calls } from '../calls.ts';
import { toFilter } from '../monitor/event-filter.ts';
import { toRow } from '../monitor/events.ts';
import type { LimitedJournal } from '../monitor/search-limit.ts';
import { answerStream, isStillThere, requireStream } from './live.ts';

/** An id is made before its event is committed, and by nodes whose clocks differ: it may be seen this much later. */
const OVERLAP_MS = seconds(10);
/** A person cannot read more; of what came faster, the newest is shown and the rest is counted. */
const MOST_AT_ONCE = 200;
/** Somebody who comes back after a break is shown more, so that a short one leaves no gap. */
const MOST_AFTER_A_BREAK = 1_000;
const PAGE = 1_000;
const LOOK_BUDGET_MS = seconds(5);
const COUNT_BUDGET_MS = seconds(1);

/**
 * The tail of what comes in: each event when it is first seen, and again when its state has changed meanwhile.
 * `id` is the newest id sent, with which a browser comes back; it is then sent once more what stands around it.
 */
export function liveEventCalls(
  calls: Calls,
  parts: {
    readonly journal: Pick<LimitedJournal, 'listEvents'>;
    readonly live: LiveFeed;
    readonly sessions: LoginSessions;
    readonly clock: Clock;
  },
): void {
  const { journal, live, sessions, clock } = parts;

  calls.on('GET /live/events', 'read', async call => {
    requireStream(call);
    const { after_id, ...given } = call.query();
    const afterId = call.request.headers.get('last-event-id') ?? after_id ?? null;
    if (afterId !== null && !isId('evt', afterId))
      throw invalid('after_id', 'after_id must be the id of an event.');
    const list: ListEvents = (filter, page) =>
      journal.listEvents(call.session.orgId, filter, page, call.request.signal);
    const look = createTail(list, { filter: toFilter(given), afterId, clock });
    let hasBegun = false;
    const stream = answerStream(live, call.session, async () => {
      if (!(await isStillThere(sessions, call))) return END;
      const { events, skipped, newest } = await look();
      // The first message says where this begins, so that whoever comes back before an event came missed none.
      if (events.length === 0 && hasBegun) return [];
      hasBegun = true;
      return [message('events', stringifyJson({ rows: events.map(toRow), skipped }), newest)];
    });
    return call.respond(stream);
  });
}

type ListEvents = (filter: EventFilter, page: Parameters<Journal['listEvents']>[2]) => Promise<EventPage>;

interface News {
  /** Oldest first. */
  readonly events: readonly StoredEvent[];
  /** How many came that are not among them. */
  readonly skipped: number;
  readonly newest: string;
}

/** Each call answers what has come, or has changed its state, since the one before. */
function createTail(
  list: ListEvents,
  options: { readonly filter: EventFilter; readonly afterId: string | null; readonly clock: Clock },
): () => Promise<News> {
  const { filter, clock, afterId } = options;
  let newest = afterId ?? idFloor('evt', clock.now());
  const begin = idTime(newest) - OVERLAP_MS;
  /** The state that was sent of each event that may still be seen again. */
  let sent = new Map<string, string>();
  let most = afterId === null ? MOST_AT_ONCE : MOST_AFTER_A_BREAK;
  let from = begin;

  return async () => {
    const now = clock.now();
    const { events: seen, isCut } = await readNewest();
    const news = seen.filter(({ id, state }) => sent.get(id) !== state);
    const shown = news.slice(0, most);
    const oldest = shown.at(-1)?.id;
    const isMore = news.length > shown.length || isCut;
    const skipped = isMore && oldest !== undefined ? await countBetween(newest, oldest) : 0;

    sent = new Map(seen.map(({ id, state }) => [id, state]));
    newest = seen[0] !== undefined && seen[0].id > newest ? seen[0].id : newest;
    from = Math.max(begin, now - OVERLAP_MS);
    most = MOST_AT_ONCE;
    return { events: shown.toReversed(), skipped, newest };
  };

  /** The newest of what there is, newest first. */
  async function readNewest(): Promise<{ events: StoredEvent[]; isCut: boolean }> {
    const deadline = performance.now() + LOOK_BUDGET_MS;
    const events: StoredEvent[] = [];
    let below: string | null = null;
    do {
      const page: EventPage = await list(
        { ...filter, after: from },
        { limit: PAGE - events.length, below, budgetMs: LOOK_BUDGET_MS },
      );
      events.push(...page.events);
      below = page.next;
    } while (below !== null && events.length < PAGE && performance.now() < deadline);
    return { events, isCut: below !== null };
  }

  /** How many are newer than the one and older than the other, as far as there is time to count. */
  async function countBetween(above: string, below: string): Promise<number> {
    const deadline = performance.now() + COUNT_BUDGET_MS;
    let count = 0;
    for (let place: string | null = below; place !== null && performance.now() < deadline; ) {
      const page: EventPage = await list(
        { ...filter, after: from },
        { limit: PAGE, below: place, budgetMs: COUNT_BUDGET_MS },
      );
      const between = page.events.filter(({ id }) => id > above);
      count += between.length;
      place = between.length < page.events.length ? null : page.next;
    }
    return count;
  }
}
