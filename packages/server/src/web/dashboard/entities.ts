import { deleteQuery } from '@sluice/contract/entity';
import { Problem } from '../../core/errors.ts';
import type { Entities, EntityActions } from '../../core/ports-entities.ts';
import type { EntityTie } from '../../core/scope.ts';
import { answer } from '../answer.ts';
import type { Cursors } from '../paging.ts';
import { placeOf, readEntity } from '../public/entities-path.ts';
import { createEntityReads } from '../public/entities-read.ts';
import { answerJson, timedEntityJson } from '../public/entities-records.ts';
import type { Call, Calls } from './calls.ts';

const PREFIX = '/dashboard/api/entities';
const ONE = '/entities/:kind/:external_id';

/** Entities as people look at them: what programs read, with when each trait was written. */
export function entityCalls(
  calls: Calls,
  dependencies: {
    readonly storage: Entities;
    readonly entityActions: EntityActions;
    readonly cursors: Cursors;
  },
): void {
  const { storage, entityActions: actions, cursors } = dependencies;
  const reads = createEntityReads({ storage, actions, cursors });

  /** Off the URL as it was sent, since an external id may hold anything. */
  const entityOf = ({ request }: Call): EntityTie => readEntity(placeOf(request, PREFIX)?.segments ?? []);

  calls.on('GET /entities', 'read', ({ session, request }) => reads.list(session.orgId, request));

  calls.on(`GET ${ONE}`, 'read', async call => {
    const entity = await storage.findEntity(call.session.orgId, entityOf(call));
    if (entity === null) throw new Problem('not_found');
    return answerJson(timedEntityJson(entity));
  });

  for (const what of ['links', 'graph', 'identity', 'events'] as const) {
    calls.on(`GET ${ONE}/${what}`, 'read', call =>
      reads[what](call.session.orgId, entityOf(call), call.request),
    );
  }

  calls.on(`DELETE ${ONE}`, 'entities.change', async call => {
    const entity = entityOf(call);
    const { erase_events: eraseEvents } = call.query(deleteQuery);
    const shown = (erasedEvents: number) => (eraseEvents ? { erased_events: erasedEvents } : {});
    const { erasedEvents } = await actions.remove(call.session.orgId, entity, {
      ifMatch: null,
      eraseEvents,
      record: erased => call.record('entity.deleted', `${entity.kind}/${entity.externalId}`, shown(erased)),
    });
    return answer({ deleted: true, ...shown(erasedEvents) });
  });
}
