import type { AuditAction } from '@sluice/contract/dashboard-audit';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { EntityRef } from '../../../core/event/scope.ts';
import type { EntityActions, EntityStore, EventOfEntity } from '../../../core/stores/entities.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { Cursors } from '../../paging.ts';
import { placeOf, readEntity, readLink, targetOf } from '../../public/entities-path.ts';
import { readIfMatch } from '../../public/entities-query.ts';
import { createEntityReads, type EntityReadsDependencies } from '../../public/entities-read.ts';
import { answerJson, eventJson, linkRecord, timedEntityJson } from '../../public/entities-records.ts';
import { createEntityWrites, type EntityBodyReading } from '../../public/entities-write.ts';
import { besideIn } from '../call-address.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import type { LimitedEntities } from './search-limit.ts';

const ONE = '/entities/:kind/:external_id';
const LINK = `${ONE}/links/:relation/:to_kind/:to_external_id` as const;

/**
 * Entities as people see and change them: as programs do, but with when each trait was written and what became of each
 * event, and on record.
 */
export function entityCalls(
  calls: Calls,
  dependencies: EntityBodyReading & {
    readonly entities: EntityReadsDependencies['entities'] &
      Pick<LimitedEntities, 'listEntities'> &
      Pick<EntityStore, 'audited'>;
    readonly journal: Pick<Journal, 'findEvents'>;
    readonly entityActions: EntityActions;
    readonly cursors: Cursors;
    readonly clock: Clock;
  },
): void {
  const { entities, journal, entityActions: actions, cursors, clock } = dependencies;
  const reads = createEntityReads({ entities, actions, cursors });

  const writes = createEntityWrites({ ...dependencies, actions });

  /** Off the URL as it was sent, since an external id may hold anything. */
  const segmentsOf = ({ request }: SessionCall) =>
    placeOf(request, besideIn(request, '/entities'))?.segments ?? [];
  const entityOf = (call: SessionCall): EntityRef => readEntity(segmentsOf(call));
  const recordAs = (call: SessionCall, action: AuditAction) => (entity: EntityRef) =>
    call.record(action, targetOf(entity));

  calls.on('GET /entities', 'read', async ({ session, request, respond }) =>
    respond(
      await reads.list(session.orgId, request, (...search) =>
        entities.listEntities(...search, request.signal),
      ),
    ),
  );

  calls.on(`GET ${ONE}`, 'read', async call => {
    const entity = await entities.findEntity(call.session.orgId, entityOf(call));
    if (entity === null) throw new Problem('not_found');
    return call.respond(answerJson(timedEntityJson(entity)));
  });

  for (const what of ['links', 'graph', 'identity'] as const) {
    calls.on(`GET ${ONE}/${what}`, 'read', async call =>
      call.respond(await reads[what](call.session.orgId, entityOf(call), call.request)),
    );
  }

  /** One that is gone meanwhile is left out. */
  const withOutcomes = (orgId: string) => async (events: readonly EventOfEntity[]) => {
    const found = await journal.findEvents(
      orgId,
      events.map(({ id }) => id),
    );
    const byId = new Map(found.map(event => [event.id, event]));
    return events.flatMap(event => {
      const { outcome, deliveryStates } = byId.get(event.id) ?? {};
      return outcome ? [eventJson(event, { outcome, delivery_states: deliveryStates })] : [];
    });
  };

  calls.on(`GET ${ONE}/events`, 'read', async call => {
    const { orgId } = call.session;
    return call.respond(await reads.events(orgId, entityOf(call), call.request, withOutcomes(orgId)));
  });

  calls.on('POST /entities', 'entities.change', async call =>
    call.respond(await writes.merge(call.session.orgId, call.request, recordAs(call, 'entity.written'))),
  );

  const write = async (call: SessionCall, mode: 'replace' | 'patch') =>
    writes.write(call.session.orgId, segmentsOf(call), mode, call.request, recordAs(call, 'entity.changed'));

  // For programs it makes what is not there; people make one on purpose, by `POST`.
  calls.on(`PUT ${ONE}`, 'entities.change', async call => {
    const entity = await entities.findEntity(call.session.orgId, entityOf(call));
    if (entity === null) throw new Problem('not_found');
    return call.respond(await write(call, 'replace'));
  });

  calls.on(`PATCH ${ONE}`, 'entities.change', async call => call.respond(await write(call, 'patch')));

  const recordLink = (call: SessionCall, action: AuditAction) => {
    const { relation, from, to } = readLink(segmentsOf(call));
    return call.record(action, targetOf(from), { relation, to: targetOf(to) });
  };

  calls.on(`PUT ${LINK}`, 'entities.change', async call => {
    const changes = entities.audited(recordLink(call, 'entity.linked'));
    const found = await changes.linkEntities(call.session.orgId, readLink(segmentsOf(call)), clock.now());
    if (found === null) throw new Problem('not_found', { message: 'One of the two does not exist.' });
    return call.answer(linkRecord(found.link), found.made ? 201 : 200);
  });

  calls.on(`DELETE ${LINK}`, 'entities.change', async call => {
    const changes = entities.audited(recordLink(call, 'entity.unlinked'));
    if (!(await changes.unlinkEntities(call.session.orgId, readLink(segmentsOf(call)))))
      throw new Problem('not_found');
    return call.answer({ deleted: true });
  });

  calls.on(`DELETE ${ONE}`, 'entities.change', async call => {
    const entity = entityOf(call);
    const { erase_events: eraseEvents } = call.query();
    const shown = (erasedEvents: number) => (eraseEvents ? { erased_events: erasedEvents } : {});
    const { erasedEvents } = await actions.remove(call.session.orgId, entity, {
      ifMatch: readIfMatch(call.request),
      eraseEvents,
      record: erased => call.record('entity.deleted', targetOf(entity), shown(erased)),
    });
    return call.answer({ deleted: true, ...shown(erasedEvents) });
  });
}
