import { endOfWindow } from '@sluice/contract/chart-window';
import type { ErrorGroup, TopRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { Clock } from '../../../core/clock.ts';
import {
  type CounterStore,
  type CounterWindow,
  EVENT_TYPES,
  MOST_COUNTED_TYPES,
  WHOLE_ORGANISATION,
} from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Calls } from '../calls.ts';
import { receivedIn, stepsOf, wholeOf } from './counter-windows.ts';

/** So many of each are shown. */
const MOST_TYPES = 8;
const MOST_ERRORS = 8;

interface TopDependencies {
  readonly counters: Pick<CounterStore, 'listCountedTypes' | 'readCounters'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'findLastMessages' | 'listErrorGroups' | 'listFailedGroups'>;
  readonly clock: Clock;
}

/** What came most often, and what failed most often, of the time that the overview shows. */
export function topCalls(calls: Calls, { counters, deliveryQueue, clock }: TopDependencies): void {
  async function typesOf(
    orgId: string,
    window: CounterWindow,
  ): Promise<Pick<TopRecord, 'types' | 'other_types'>> {
    // Nodes that met new types at the same moment may have gone beyond the limit.
    const names = await counters.listCountedTypes(orgId, 2 * MOST_COUNTED_TYPES);
    const [byType, received] = await Promise.all([
      counters.readCounters(orgId, [EVENT_TYPES], names, window),
      counters.readCounters(orgId, [WHOLE_ORGANISATION], ['received'], window),
    ]);
    const types = byType
      .map(({ name, amount }) => ({ type: name, count: amount }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
      .slice(0, MOST_TYPES);
    const shown = types.reduce((sum, { count }) => sum + count, 0);
    return { types, other_types: Math.max(0, (received[0]?.amount ?? 0) - shown) };
  }

  async function deliveryErrors(orgId: string, window: CounterWindow): Promise<Ranked[]> {
    const made = { from: window.from, to: endOfWindow(window) };
    const { groups, more } = await deliveryQueue.listErrorGroups(orgId, made, MOST_COUNTED);
    return groups.map(({ state, destination, code, status, count, latest }) => ({
      state,
      at: destination,
      code,
      status,
      step: null,
      count: { count: Math.min(count, MOST_COUNTED), more: more[state] },
      latest,
      message: null,
    }));
  }

  async function eventErrors(orgId: string, window: CounterWindow): Promise<Ranked[]> {
    const groups = await deliveryQueue.listFailedGroups(orgId, receivedIn(window), MOST_COUNTED + 1);
    const isCut = groups.reduce((sum, { count }) => sum + count, 0) > MOST_COUNTED;
    return groups.map(({ pipeline, step, reason, count }) => ({
      state: 'failed' as const,
      at: { ...pipeline, kind: 'pipeline' },
      code: null,
      status: null,
      step,
      count: { count: Math.min(count, MOST_COUNTED), more: isCut },
      latest: null,
      message: reason,
    }));
  }

  calls.on('GET /overview/top', 'read', async call => {
    const { orgId } = call.session;
    const window = wholeOf(stepsOf(call.query(), clock.now()));
    const [types, ofDeliveries, ofEvents] = await Promise.all([
      typesOf(orgId, window),
      deliveryErrors(orgId, window),
      eventErrors(orgId, window),
    ]);
    const ranked = [...ofDeliveries, ...ofEvents]
      .sort((a, b) => b.count.count - a.count.count)
      .slice(0, MOST_ERRORS);
    const shown = ranked.flatMap(({ latest }) => latest ?? []);
    const messages = await deliveryQueue.findLastMessages(orgId, shown);
    const errors = ranked.map(
      ({ latest, ...group }): ErrorGroup => ({
        ...group,
        message: latest === null ? group.message : (messages.get(latest) ?? null),
      }),
    );
    return call.answer({ ...types, errors });
  });
}

interface Ranked extends ErrorGroup {
  /** The delivery that says what came back. It is only asked for those that are shown. */
  readonly latest: string | null;
}
