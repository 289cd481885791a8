import type { AppendRequest } from '../core/stores/journal.ts';

/** The column `matched_sources` of an event that is stored in its last state; it is written later for all others. */
export function matchedSourcesOf({ unrouted }: AppendRequest, position: number): string | null {
  const sources = unrouted?.matchedSources[position] ?? null;
  return sources === null ? null : JSON.stringify(sources);
}
