import type { EntityRef } from '../../../core/event/scope.ts';
import { shownState } from '../../../core/event/state.ts';
import type { EntityStore, EventOfEntity } from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** The events of an entity, or of several that are one identity, newest first. */

/** A page ends once its payloads come to this much. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Entities whose events are looked up in one statement. */
const AT_ONCE = 50;

export const listEventsOfEntity: Operation<EntityStore['listEventsOfEntity']> = async (
  db,
  orgId,
  entities,
  { limit, position },
) => {
  const ids: string[] = [];
  for (let at = 0; at < entities.length; at += AT_ONCE) {
    ids.push(...(await newestIds(db, orgId, entities.slice(at, at + AT_ONCE), position, limit + 1)));
  }
  const wanted = ids.sort().reverse().slice(0, limit);
  const events = await loadEvents(db, orgId, wanted);
  const isCut = events.length < wanted.length || ids.length > limit;
  return { events, next: isCut ? (events.at(-1)?.id ?? null) : null };
};

/** For each entity by itself, which is one walk down the index that its events stand in. */
async function newestIds(
  db: Db,
  orgId: string,
  entities: readonly EntityRef[],
  below: string | null,
  limit: number,
): Promise<string[]> {
  const [first, ...others] = entities.map(({ kind, externalId }) => {
    let query = db
      .selectFrom('events')
      .select('id')
      .where('org_id', '=', orgId)
      .where('entity_kind', '=', kind)
      .where('entity_external_id', '=', externalId);
    if (below !== null) query = query.where('id', '<', below);
    // Neither engine lets the parts of a union have an order of their own, unless they stand in brackets.
    return db.selectFrom(query.orderBy('id', 'desc').limit(limit).as('newest')).select('newest.id');
  });
  if (first === undefined) return [];
  const rows = await others.reduce((all, one) => all.unionAll(one), first).execute();
  return rows.map(({ id }) => id);
}

/** As many as fit, at least one. A few at a time, since each may be large. */
async function loadEvents(db: Db, orgId: string, ids: readonly string[]): Promise<EventOfEntity[]> {
  const events: EventOfEntity[] = [];
  let bytes = 0;
  for (let at = 0; at < ids.length; at += 10) {
    const rows = await db
      .selectFrom('events')
      .select([
        'id',
        'type',
        'icon',
        'payload',
        'state',
        'entity_kind',
        'entity_external_id',
        'happened_at',
        'received_at',
        'erased_at',
      ])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids.slice(at, at + 10))
      .orderBy('id', 'desc')
      .execute();
    for (const row of rows) {
      bytes += row.payload.length;
      if (bytes > MOST_BYTES && events.length > 0) return events;
      events.push(toEventOfEntity(row));
    }
  }
  return events;
}

type EventOfEntityRow = Omit<
  Schema['events'],
  'org_id' | 'source_id' | 'sender_id' | 'matched_sources' | 'claim_token' | 'headers'
>;

const toEventOfEntity = (row: EventOfEntityRow): EventOfEntity => ({
  id: row.id,
  type: row.type,
  icon: row.icon,
  payload: row.erased_at === null ? row.payload : null,
  state: shownState(row.state),
  entity: { kind: row.entity_kind ?? '', externalId: row.entity_external_id ?? '' },
  happenedAt: row.happened_at,
  receivedAt: row.received_at,
  erasedAt: row.erased_at,
});
