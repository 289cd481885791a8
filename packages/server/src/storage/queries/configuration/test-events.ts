import type { EntityRef } from '../../../core/event/scope.ts';
import type { StoredTestEvent } from '../../../core/stores/configuration/test-events.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** Saved test events. */

const toTestEvent = (row: Schema['test_events']): StoredTestEvent => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  event: row.event,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const createTestEvent: Operation<ConfigurationStore['createTestEvent']> = async (db, event, most) => {
  // Locks the organisation, so that two who save at once do not both find room for the last one.
  await db
    .updateTable('organisations')
    .set(eb => ({ id: eb.ref('id') }))
    .where('id', '=', event.orgId)
    .execute();
  const { count } = await db
    .selectFrom('test_events')
    .select(eb => eb.fn.countAll().as('count'))
    .where('org_id', '=', event.orgId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= most) return 'too_many';
  await db
    .insertInto('test_events')
    .values({
      id: event.id,
      org_id: event.orgId,
      name: event.name,
      event: event.event,
      created_by: event.createdBy,
      created_at: event.createdAt,
      updated_at: event.updatedAt,
    })
    .execute();
  return 'created';
};

export const listTestEvents: Operation<ConfigurationStore['listTestEvents']> = async (db, orgId) =>
  (
    await db
      .selectFrom('test_events')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('name')
      .orderBy('id')
      .execute()
  ).map(toTestEvent);

export const findTestEvent: Operation<ConfigurationStore['findTestEvent']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('test_events')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toTestEvent(row) : null;
};

export const updateTestEvent: Operation<ConfigurationStore['updateTestEvent']> = async (
  db,
  orgId,
  id,
  { name, event },
  at,
) => {
  const updated = await db
    .updateTable('test_events')
    .set({ name, event, updated_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return updated !== undefined;
};

export const deleteTestEvent: Operation<ConfigurationStore['deleteTestEvent']> = async (db, orgId, id) => {
  const removed = await db
    .deleteFrom('test_events')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return removed !== undefined;
};

/** Those that stand for this entity: they may well be copies of its events. */
export async function deleteTestEventsOf(db: Db, orgId: string, entity: EntityRef): Promise<void> {
  const saved = await db
    .selectFrom('test_events')
    .select(['id', 'event'])
    .where('org_id', '=', orgId)
    .execute();
  const ids = saved.filter(({ event }) => isOf(event, entity)).map(({ id }) => id);
  if (ids.length === 0) return;
  await db.deleteFrom('test_events').where('org_id', '=', orgId).where('id', 'in', ids).execute();
}

function isOf(text: string, { kind, externalId }: EntityRef): boolean {
  const { entity } = JSON.parse(text) as { entity?: { kind?: unknown; external_id?: unknown } };
  return entity?.kind === kind && entity.external_id === externalId;
}
