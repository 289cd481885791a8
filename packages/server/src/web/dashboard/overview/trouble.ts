import { endOfWindow } from '@sluice/contract/chart-window';
import type { FailingDestination, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { CounterStore, CounterWindow } from '../../../core/stores/counters.ts';
import { failedLately, type StateDependencies, statesOf } from '../destination-states.ts';
import { totalsOf, wholeOf } from './counter-windows.ts';

/** What is wrong with destinations at present, and all that waits for those. */

const MOST_FAILING = 20;
const NOTHING = { count: 0, more: false };

interface TroubleDependencies extends StateDependencies {
  readonly counters: Pick<CounterStore, 'countPresentOfEach' | 'countWaitingAt' | 'readCounters'>;
}

export async function troubleOf(
  orgId: string,
  destinations: readonly StoredDestination[],
  window: CounterWindow,
  { counters, deliveryQueue, clock }: TroubleDependencies,
): Promise<Pick<OverviewRecord, 'wrong' | 'failing'>> {
  const failed = await failedLately(orgId, destinations, { counters, clock });
  const stateOf = await statesOf(orgId, destinations, { counters, deliveryQueue, clock }, failed);
  const failing = destinations
    .map(destination => {
      return { destination, state: stateOf(destination), failed: failed(destination.id) };
    })
    .filter(({ state, failed }) => state === 'down' || failed > 0)
    .sort((a, b) => Number(b.state === 'down') - Number(a.state === 'down') || b.failed - a.failed);
  if (failing.length === 0) return { wrong: [], failing: [] };

  const shown = failing.slice(0, MOST_FAILING);
  const ids = shown.map(({ destination }) => destination.id);
  const made = { from: window.from, to: endOfWindow(window) };
  const [{ destinations: waitingAt }, present, sums] = await Promise.all([
    counters.countWaitingAt(orgId, MOST_COUNTED),
    counters.countPresentOfEach(orgId, made, MOST_COUNTED),
    counters.readCounters(orgId, ids, ['delivered'], wholeOf(window)),
  ]);
  const delivered = totalsOf(sums);
  const deadAt = new Map(present.map(({ destinationId, dead }) => [destinationId, dead]));
  const waitingFor = (id: string) => waitingAt.get(id) ?? NOTHING;
  return {
    wrong: failing.flatMap(({ destination: { id }, state }) =>
      state === 'down' || state === 'failing' ? [{ id, state, waiting: waitingFor(id) }] : [],
    ),
    failing: shown.map(({ destination, ...one }): FailingDestination => {
      const { id, name, kind } = destination;
      return {
        id,
        name,
        kind,
        ...one,
        waiting: waitingFor(id),
        dead: deadAt.get(id) ?? NOTHING,
        delivered: delivered(id, 'delivered'),
      };
    }),
  };
}
