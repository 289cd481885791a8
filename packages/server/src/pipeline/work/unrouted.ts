import { stateAfter } from '../../core/event/state.ts';
import type { AppendRequest, AppendResult, Unrouted } from '../../core/stores/journal.ts';
import type { Definitions, LoadedPipeline, NamedSource } from '../definitions/definitions.ts';
import type { OnSettled } from './settler.ts';

/**
 * Events that no pipeline listens to. Nothing is to be done for them, so they are stored in their last state, and no
 * second write is made for each only to say so.
 */

/** Null where a pipeline listens to one of them, or it would take a read to find out. */
export function findUnrouted(
  { orgId, sourceId, events }: AppendRequest,
  definitions: Pick<Definitions, 'known'>,
): Unrouted | null {
  const organisation = definitions.known(orgId);
  if (organisation === null) return null;
  const sources: (readonly NamedSource[])[] = [];
  for (const event of events) {
    const own = organisation.sourcesOf({ sourceId, event });
    if (organisation.pipelines.some(pipeline => listens(pipeline, own))) return null;
    sources.push(own);
  }
  return { matchedSources: sources.map(own => (sourceId === null ? own : null)) };
}

export const listens = ({ sources }: LoadedPipeline, of: readonly NamedSource[]): boolean =>
  of.some(({ id }) => sources.includes(id));

/** They are on disk: whatever is told of an event that was settled is told of those that are new. */
export function tellUnrouted(
  { orgId, sourceId, events, unrouted, receivedAt }: AppendRequest,
  result: AppendResult,
  onSettled: OnSettled,
): void {
  if (result.kind !== 'stored') return;
  for (const [i, { id: eventId }] of events.entries()) {
    if (result.events[i]?.duplicate !== false) continue;
    const matchedSources = unrouted?.matchedSources[i] ?? null;
    onSettled(
      { orgId, eventId, round: 'first', runs: [], matchedSources, tallies: [] },
      { kind: 'settled', deliveries: 0, state: stateAfter([]) },
      matchedSources?.map(({ id }) => id) ?? (sourceId === null ? [] : [sourceId]),
      receivedAt,
    );
  }
}
