import { Problem } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { JobStore } from '../../../core/stores/jobs.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { Calls } from '../calls.ts';

/** Whoever follows a link in the wrong organisation learns in which of their own the thing is. */
export function whereaboutsCalls(
  calls: Calls,
  {
    accounts,
    configuration,
    deliveryQueue,
    jobs,
    journal,
  }: {
    readonly accounts: Pick<AccountStore, 'listOrganisationsOf'>;
    readonly configuration: Pick<
      ConfigurationStore,
      'findAudit' | 'findDestination' | 'findPipeline' | 'findSource'
    >;
    readonly deliveryQueue: Pick<DeliveryQueue, 'findDelivery'>;
    readonly jobs: Pick<JobStore, 'findJob'>;
    readonly journal: Pick<Journal, 'findEvent'>;
  },
): void {
  const findIn = (orgId: string, id: string): Promise<unknown> => {
    if (isId('evt', id)) return journal.findEvent(orgId, id);
    if (isId('dlv', id)) return deliveryQueue.findDelivery(orgId, id);
    if (isId('src', id)) return configuration.findSource(orgId, id);
    if (isId('pipe', id)) return configuration.findPipeline(orgId, id);
    if (isId('dst', id)) return configuration.findDestination(orgId, id);
    if (isId('job', id)) return jobs.findJob(orgId, id);
    if (isId('aud', id)) return configuration.findAudit(orgId, id);
    throw new Problem('not_found');
  };

  calls.on('GET /whereabouts/:id', 'read', async call => {
    for (const { id, name, slug } of await accounts.listOrganisationsOf(call.session.userId)) {
      if ((await findIn(id, call.param('id'))) !== null) return call.answer({ organisation: { name, slug } });
    }
    throw new Problem('not_found');
  });
}
