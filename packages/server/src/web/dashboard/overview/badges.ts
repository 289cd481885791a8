import type { CounterStore } from '../../../core/stores/counters.ts';
import type { Calls } from '../calls.ts';

/** A badge has room for three digits. */
const MOST_COUNTED = 999;

/** What the side bar says beside its pages: small enough to be followed on every page. */
export function badgeCalls(
  calls: Calls,
  { counters }: { readonly counters: Pick<CounterStore, 'countBadges'> },
): void {
  calls.on('GET /badges', 'read', async call => {
    const badges = await counters.countBadges(call.session.orgId, MOST_COUNTED);
    return call.answer({
      dead_letters: badges.deadLetters,
      destinations_down: badges.destinationsDown,
      running_jobs: badges.runningJobs,
    });
  });
}
