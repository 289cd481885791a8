import type { EventSummary } from '@sluice/contract/dashboard-events';
import { toRfc3339 } from '../clock.ts';
import type { ListedEvent } from '../stores/journal.ts';

/** An event as lists and exports show it. */
export const eventSummaryOf = (event: ListedEvent): EventSummary => ({
  id: event.id,
  type: event.type,
  icon: event.icon,
  state: event.state,
  outcome: event.outcome,
  delivery_states: event.deliveryStates,
  sources: [...event.sources],
  entity: event.entity && { kind: event.entity.kind, external_id: event.entity.externalId },
  timestamp: toRfc3339(event.happenedAt),
  received_at: toRfc3339(event.receivedAt),
});
