import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';

/** Whether a destination as it is now is what a queue was opened with. */
export const isAsOpened = (opened: StoredDestination, fresh: StoredDestination): boolean =>
  !fresh.paused &&
  fresh.config === opened.config &&
  JSON.stringify([fresh.policy, fresh.formerPolicies]) ===
    JSON.stringify([opened.policy, opened.formerPolicies]);
