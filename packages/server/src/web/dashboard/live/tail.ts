import type { EventOutcome } from '@sluice/contract/dashboard-events';
import { type Clock, seconds } from '../../../core/clock.ts';
import { eventSummaryOf } from '../../../core/event/summary.ts';
import { idFloor, idTime } from '../../../core/ids.ts';
import { stringifyJson } from '../../../core/json/json.ts';
import type { EventFilter, EventPage, Journal, ListedEvent } from '../../../core/stores/journal.ts';
import { message } from '../../../telemetry/live-feed.ts';

/** An id is made before its event is committed, and by nodes whose clocks differ: it may be seen this much later. */
const OVERLAP_MS = seconds(10);
/** A person cannot read more; of what came faster, the newest is shown and the rest is counted. */
const MOST_AT_ONCE = 200;
/** Somebody who comes back after a break is shown more, so that a short one leaves no gap. */
const MOST_AFTER_A_BREAK = 1_000;
const PAGE = 1_000;
const LOOK_BUDGET_MS = seconds(5);
const COUNT_BUDGET_MS = seconds(1);

/** So many of what was sent are looked at until they have ended, however long that takes. */
const MOST_FOLLOWED = 200;

/** The events of an organisation. */
export interface TailedEvents {
  list(filter: EventFilter, page: Parameters<Journal['listEvents']>[2]): Promise<EventPage>;
  find(ids: readonly string[]): Promise<readonly ListedEvent[]>;
}

interface News {
  /** Oldest first. */
  readonly events: readonly ListedEvent[];
  /** What was sent long ago and has changed; only for whoever still shows it. */
  readonly changed: readonly ListedEvent[];
  /** How many came that are not among them. */
  readonly skipped: number;
  readonly newest: string;
}

/** An event is sent again when this has changed: its state, or what became of its deliveries. */
const sentAs = ({ state, outcome, deliveryStates }: ListedEvent): string =>
  `${state} ${outcome} ${deliveryStates.delivered ?? 0} ${deliveryStates.dead ?? 0}`;

const openOutcomes: ReadonlySet<string> = new Set<EventOutcome>([
  'accepted',
  'delivering',
  'failing',
  'retrying',
]);
const openDeliveries = ['pending', 'delivering', 'held', 'retrying'] as const;

/** Something of it is still to come. */
const isOpen = ({ outcome, deliveryStates }: ListedEvent): boolean =>
  openOutcomes.has(outcome) || openDeliveries.some(state => (deliveryStates[state] ?? 0) > 0);

/**
 * The tail of what comes in, as the messages of a stream: each call of it answers what has come, or has changed its
 * state, since the one before. `rows` are to be shown; `changed` are others of before that have become something else.
 */
export function createTail(
  journal: TailedEvents,
  options: { readonly filter: EventFilter; readonly afterId: string | null; readonly clock: Clock },
): () => Promise<string[]> {
  const look = createLook(journal, options);
  let hasBegun = false;
  return async () => {
    const { events, changed, skipped, newest } = await look();
    // The first message says where this begins, so that whoever comes back before an event came missed none.
    if (events.length + changed.length === 0 && hasBegun) return [];
    hasBegun = true;
    const [rows, others] = [events.map(eventSummaryOf), changed.map(eventSummaryOf)];
    return [message('events', stringifyJson({ rows, changed: others, skipped }), newest)];
  };
}

function createLook(
  { list, find }: TailedEvents,
  options: { readonly filter: EventFilter; readonly afterId: string | null; readonly clock: Clock },
): () => Promise<News> {
  const { filter, clock, afterId } = options;
  let newest = afterId ?? idFloor('evt', clock.now());
  const begin = idTime(newest) - OVERLAP_MS;
  /** What was sent of each event that may still be seen again. */
  let sent = new Map<string, string>();
  /** What was sent, newest first, of those that have not ended: what is retried arrives long after it came. */
  let followed = new Map<string, string>();
  let isFirst = true;
  let most = afterId === null ? MOST_AT_ONCE : MOST_AFTER_A_BREAK;
  let from = begin;

  return async () => {
    const now = clock.now();
    const { events: seen, isCut } = await readNewest();
    const news = seen.filter(event => sent.get(event.id) !== sentAs(event));
    const shown = news.slice(0, most);
    const oldest = seen.at(-1)?.id;
    const earlier = isFirst ? await readShownBefore(oldest, isCut) : await readFollowed(seen);
    const changed = earlier.filter(event => followed.get(event.id) !== sentAs(event));
    let skipped = news.slice(most).filter(({ id }) => id > newest).length;
    if (isCut && oldest !== undefined) skipped += await countBetween(newest, oldest);

    const known = new Set([...shown, ...earlier].map(({ id }) => id));
    const open = [...seen, ...earlier].filter(
      event => isOpen(event) && (known.has(event.id) || followed.has(event.id)),
    );
    followed = new Map(open.slice(0, MOST_FOLLOWED).map(event => [event.id, sentAs(event)]));
    isFirst = false;
    sent = new Map(seen.map(event => [event.id, sentAs(event)]));
    newest = seen[0] !== undefined && seen[0].id > newest ? seen[0].id : newest;
    from = Math.max(begin, now - OVERLAP_MS);
    most = MOST_AT_ONCE;
    return { events: shown.toReversed(), changed, skipped, newest };
  };

  /** What whoever comes back, or has just read the list, may show already: it has to be as it is now. */
  async function readShownBefore(oldest: string | undefined, isCut: boolean) {
    const below = oldest ?? afterId;
    if (afterId === null || below === null || isCut) return [];
    return (await list(filter, { limit: MOST_FOLLOWED, below, budgetMs: COUNT_BUDGET_MS })).events;
  }

  function readFollowed(seen: readonly ListedEvent[]) {
    const isSeen = new Set(seen.map(({ id }) => id));
    return find([...followed.keys()].filter(id => !isSeen.has(id)));
  }

  /** The newest of what there is, newest first. */
  async function readNewest(): Promise<{ events: ListedEvent[]; isCut: boolean }> {
    const deadline = performance.now() + LOOK_BUDGET_MS;
    const events: ListedEvent[] = [];
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
