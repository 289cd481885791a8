import type { SavedView } from '../../../core/stores/configuration/views.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { lockMembers } from '../accounts/members.ts';

/** Saved views: a person's own, and those of the organisation. */

const toView = (row: Schema['saved_views']): SavedView => ({
  id: row.id,
  orgId: row.org_id,
  userId: row.user_id,
  name: row.name,
  filters: JSON.parse(row.filters) as SavedView['filters'],
  columns: JSON.parse(row.columns) as SavedView['columns'],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const within = (db: Db, orgId: string, userId: string) =>
  db
    .selectFrom('saved_views')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(eb => eb.or([eb('user_id', '=', userId), eb('user_id', 'is', null)]));

export const listViews: Operation<ConfigurationStore['listViews']> = async (db, orgId, userId) =>
  (await within(db, orgId, userId).orderBy('id', 'desc').execute()).map(toView);

export const findView: Operation<ConfigurationStore['findView']> = async (db, orgId, userId, id) => {
  const row = await within(db, orgId, userId).where('id', '=', id).executeTakeFirst();
  return row ? toView(row) : null;
};

export const createView: Operation<ConfigurationStore['createView']> = async (db, view, most) => {
  // Two at once would each count without the other; and whoever is being removed leaves none behind.
  await lockMembers(db, view.orgId);
  const there = await db
    .selectFrom('saved_views')
    .select('id')
    .where('org_id', '=', view.orgId)
    .where('user_id', view.userId === null ? 'is' : '=', view.userId)
    .limit(most)
    .execute();
  if (there.length >= most) return 'too_many';
  await db
    .insertInto('saved_views')
    .values({
      id: view.id,
      org_id: view.orgId,
      user_id: view.userId,
      name: view.name,
      filters: JSON.stringify(view.filters),
      columns: JSON.stringify(view.columns),
      created_at: view.createdAt,
      updated_at: view.updatedAt,
    })
    .execute();
  return 'created';
};

export const changeView: Operation<ConfigurationStore['changeView']> = async (
  db,
  orgId,
  userId,
  id,
  { name, filters, columns },
  at,
) => {
  const changed = await db
    .updateTable('saved_views')
    .set({
      name,
      filters: filters && JSON.stringify(filters),
      columns: columns && JSON.stringify(columns),
      updated_at: at,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(eb => eb.or([eb('user_id', '=', userId), eb('user_id', 'is', null)]))
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
};

export const deleteView: Operation<ConfigurationStore['deleteView']> = async (db, orgId, userId, id) => {
  const deleted = await db
    .deleteFrom('saved_views')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(eb => eb.or([eb('user_id', '=', userId), eb('user_id', 'is', null)]))
    .returning('id')
    .executeTakeFirst();
  return deleted !== undefined;
};
