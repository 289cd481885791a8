import type { ChartWindow } from '@sluice/contract/chart-window';
import type { EventHistogram } from '@sluice/contract/dashboard-events';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, days, hours, minutes, toRfc3339 } from '../../../core/clock.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import {
  type CounterStore,
  EVENT_TYPES,
  MOST_COUNTED_TYPES,
  WHOLE_ORGANISATION,
} from '../../../core/stores/counters.ts';
import type { EventFilter, Journal } from '../../../core/stores/journal.ts';
import type { Calls } from '../calls.ts';
import { optionalTime } from '../records.ts';
import { countedHistogram } from './counted-histogram.ts';
import { toFilter } from './event-filter.ts';
import { barsOf, histogramWindow } from './histogram.ts';
import type { LimitedJournal } from './search-limit.ts';

const SEARCH_BUDGET_MS = 350;
const LATEST_LOOKED_AT = 10_000;
const MOST_TYPES = 300;
/** Counters are kept by the minute. */
const COUNTED_MS = minutes(1);

/** How many events match and when they came in, and of which types there are any. */
export function eventChartCalls(
  calls: Calls,
  {
    journal,
    counters,
    accounts,
    defaultRetentionDays,
    clock,
  }: {
    readonly journal: Pick<LimitedJournal, 'listEventTimes'> & Pick<Journal, 'listEventTypes'>;
    readonly counters: Pick<CounterStore, 'listCountedTypes' | 'readCounters'>;
    readonly accounts: Pick<AccountStore, 'findOrganisation'>;
    readonly defaultRetentionDays: number;
    readonly clock: Clock;
  },
): void {
  async function keptFrom(orgId: string): Promise<number> {
    const organisation = await accounts.findOrganisation(orgId);
    return clock.now() - days(organisation?.retentionDays ?? defaultRetentionDays);
  }

  calls.on('GET /events/histogram', 'read', async call => {
    const { orgId } = call.session;
    const filter = toFilter(call.query());
    const { signal } = call.request;
    const listTimes = (narrowed: EventFilter, most = MOST_COUNTED) =>
      journal.listEventTimes(orgId, narrowed, { most, budgetMs: SEARCH_BUDGET_MS }, signal);
    const answer = (
      { from, stepMs }: ChartWindow,
      counts: readonly number[],
      total: EventHistogram['total'],
      countedFrom: number | null,
    ) =>
      call.answer({
        from: toRfc3339(from),
        step_s: stepMs / 1_000,
        counts: [...counts],
        total,
        counted_from: optionalTime(countedFrom),
      });

    const to = Math.min(filter.before ?? Number.POSITIVE_INFINITY, clock.now() + 1);
    const since = filter.after === undefined ? (await listTimes({}, 1)).oldest : filter.after + 1;
    // What is counted in a minute that is not over yet is all that came in.
    const end = filter.before === undefined ? Math.ceil(to / COUNTED_MS) * COUNTED_MS : to;
    const counted =
      since === null
        ? null
        : await countedHistogram(
            orgId,
            filter,
            { from: Math.max(since, 0), to: end },
            {
              counters,
              keptFrom: await keptFrom(orgId),
              async timesOf(narrowed, within) {
                if (within.from >= within.to) return [];
                const { times, more, searchedTo } = await listTimes({
                  ...narrowed,
                  after: within.from - 1,
                  before: within.to,
                });
                return more || searchedTo !== null ? null : times;
              },
            },
          );
    if (counted !== null) {
      const { window, counts } = counted;
      const count = counts.reduce((sum, one) => sum + one, 0);
      return answer(window, counts, { count, more: false }, null);
    }

    const { times, more, searchedTo, oldest } = await listTimes(filter);
    const isWhole = !more && searchedTo === null;
    const first = (isWhole ? times.at(-1) : oldest) ?? to - 1;
    const window = histogramWindow(Math.max(filter.after === undefined ? first : filter.after + 1, 0), to);
    const countedFrom = isWhole ? null : (searchedTo ?? times.at(-1) ?? null);
    return answer(window, barsOf(times, window), { count: times.length, more: !isWhole }, countedFrom);
  });

  calls.on('GET /events/types', 'read', async call => {
    const { orgId } = call.session;
    // Nodes that met new types at the same moment may have gone beyond the limit.
    const names = await counters.listCountedTypes(orgId, 2 * MOST_COUNTED_TYPES);
    const ever = { from: 0, stepMs: Math.ceil(clock.now() / hours(1)) * hours(1), points: 1 };
    const [byType, received] = await Promise.all([
      counters.readCounters(orgId, [EVENT_TYPES], names, ever),
      counters.readCounters(orgId, [WHOLE_ORGANISATION], ['received'], ever),
    ]);
    const types = new Map(byType.map(({ name, amount }) => [name, amount]));
    const inAll = byType.reduce((sum, { amount }) => sum + amount, 0);
    // Some are of types that are not counted by name, or none is counted yet: those that came in lately are looked at.
    if (types.size === 0 || inAll < (received[0]?.amount ?? 0)) {
      const latest = { latest: LATEST_LOOKED_AT, most: MOST_TYPES };
      for (const { type, count } of await journal.listEventTypes(orgId, latest)) {
        if (!types.has(type)) types.set(type, count);
      }
    }
    return call.answer(
      [...types]
        .map(([type, count]) => ({ type, count }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
        .slice(0, MOST_TYPES),
    );
  });
}
