import { systemEvents, systemEventTypes } from '@sluice/contract/system-events';
import { systemSourceId } from '../../../core/event/system-source.ts';
import type { AlertStore } from '../../../core/stores/alerts.ts';
import type { ClientSettings } from '../../client.ts';
import type { Calls } from '../calls.ts';
import { optionalTime } from '../records.ts';

/** The system events that an organisation can have told somewhere, and when each was last raised. */
export function alertCalls(
  calls: Calls,
  {
    alerts,
    client,
  }: {
    readonly alerts: Pick<AlertStore, 'readRaised'>;
    readonly client: Pick<ClientSettings, 'baseUrl'>;
  },
): void {
  calls.on('GET /alerts', 'read', async call => {
    const { orgId } = call.session;
    const { lastAt, isFirst } = await alerts.readRaised(orgId);
    return call.answer({
      source_id: systemSourceId(orgId),
      has_links: client.baseUrl !== undefined,
      types: systemEventTypes
        .filter(type => isFirst || !systemEvents[type].isForOperator)
        .map(type => ({ type, last_raised_at: optionalTime(lastAt[type] ?? null) })),
    });
  });
}
