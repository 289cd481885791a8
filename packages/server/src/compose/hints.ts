import type { WorkKind } from '../core/stores/change.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import type { Signal } from '../core/work/signal.ts';
import type { Foundation } from './foundation.ts';

/**
 * Nodes with different roles: work that comes up here and is done elsewhere is hinted at to the others, and what they hint
 * at wakes this one, so that it is not found only by the next look into storage.
 */
export function shareHints(
  { settings, eventsDue, deliveriesDue }: Pick<Foundation, 'settings' | 'eventsDue' | 'deliveriesDue'>,
  engine: Pick<StorageEngine, 'hintAtWork' | 'onWorkHinted'>,
): void {
  const kinds: Readonly<Record<WorkKind, { readonly due: Signal; readonly role: string }>> = {
    events: { due: eventsDue, role: 'process' },
    deliveries: { due: deliveriesDue, role: 'deliver' },
  };
  const isDoneHere = (what: WorkKind) => settings.SLUICE_ROLES.includes(kinds[what].role);
  for (const what of ['events', 'deliveries'] as const) {
    if (!isDoneHere(what)) kinds[what].due.on(() => engine.hintAtWork(what));
  }
  // Only where it is done: whoever passed it on again would never come to an end.
  engine.onWorkHinted(what => {
    if (isDoneHere(what)) kinds[what].due.raise();
  });
}
