import { SYSTEM_SOURCE_NAME, systemSourceId } from '../../../core/event/system-source.ts';
import { freeSlug } from '../../../core/slug.ts';
import type { AccountStore, NewOrganisation, Organisation, Role } from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** Organisations: their rows, and which a user belongs to. */

const toOrganisation = (row: Schema['organisations']): Organisation => ({
  id: row.id,
  name: row.name,
  retentionDays: row.retention_days,
  searchableTraits: JSON.parse(row.searchable_traits) as string[],
  createdAt: row.created_at,
  slug: row.slug ?? row.id,
});

const toOrganisationRow = (org: NewOrganisation, slug: string): Schema['organisations'] => ({
  id: org.id,
  name: org.name,
  retention_days: org.retentionDays,
  searchable_traits: JSON.stringify(org.searchableTraits),
  created_at: org.createdAt,
  slug,
});

export const createOrganisation: Operation<AccountStore['createOrganisation']> = async (
  db,
  org,
  ownerId,
  mostOwned,
) => {
  if (mostOwned !== undefined && (await countOwned(db, ownerId)) >= mostOwned) return 'too_many';
  await insertOrganisation(db, org);
  await db
    .insertInto('memberships')
    .values({
      org_id: org.id,
      user_id: ownerId,
      role: 'owner',
      created_at: org.createdAt,
      last_login_at: null,
    })
    .execute();
  await db
    .insertInto('sources')
    .values({
      id: systemSourceId(org.id),
      org_id: org.id,
      kind: 'system',
      name: SYSTEM_SOURCE_NAME,
      enabled: 1,
      created_at: org.createdAt,
      updated_at: org.createdAt,
    })
    .execute();
  return 'created';
};

/** Under the first address that is free. Where another takes it at the same moment, this waits for it and takes the next. */
async function insertOrganisation(db: Db, org: NewOrganisation): Promise<void> {
  for (;;) {
    const slug = freeSlug(org.name, await takenSlugs(db));
    const made = await db
      .insertInto('organisations')
      .values(toOrganisationRow(org, slug))
      .onConflict(conflict => conflict.column('slug').where('slug', 'is not', null).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made !== undefined) return;
  }
}

async function takenSlugs(db: Db): Promise<Set<string>> {
  const all = await db.selectFrom('organisations').select('slug').execute();
  return new Set(all.flatMap(({ slug }) => slug ?? []));
}

export const giveSlugs: Operation<AccountStore['giveSlugs']> = async db => {
  // Locks them, so that of several nodes that start at once one gives them all.
  const without = await db
    .updateTable('organisations')
    .set(({ ref }) => ({ id: ref('id') }))
    .where('slug', 'is', null)
    .returning(['id', 'name'])
    .execute();
  if (without.length === 0) return;
  const taken = await takenSlugs(db);
  for (const { id, name } of without.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const slug = freeSlug(name, taken);
    taken.add(slug);
    await db.updateTable('organisations').set({ slug }).where('id', '=', id).execute();
  }
};

async function countOwned(db: Db, userId: string): Promise<number> {
  // Changes nothing, but whoever else makes one for the same user waits until this one is made.
  await db
    .updateTable('users')
    .set(({ ref }) => ({ email: ref('email') }))
    .where('id', '=', userId)
    .execute();
  const owned = await db
    .selectFrom('memberships')
    .select('org_id')
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .execute();
  return owned.length;
}

export const listOrganisations: Operation<AccountStore['listOrganisations']> = async db =>
  (await db.selectFrom('organisations').selectAll().orderBy('id').execute()).map(toOrganisation);

export const findOrganisation: Operation<AccountStore['findOrganisation']> = async (db, id) => {
  const row = await db.selectFrom('organisations').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toOrganisation(row) : null;
};

/** Only the columns that the change names: another node may be changing the others. */
export const updateOrganisation: Operation<AccountStore['updateOrganisation']> = async (db, id, change) => {
  const { name, retentionDays, searchableTraits } = change;
  const updated = await db
    .updateTable('organisations')
    .set({
      // Never empty, since an update has to set something.
      id,
      name,
      retention_days: retentionDays,
      searchable_traits: searchableTraits === undefined ? undefined : JSON.stringify(searchableTraits),
    })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return updated !== undefined;
};

export const listOrganisationsOf: Operation<AccountStore['listOrganisationsOf']> = async (db, userId) =>
  (
    await db
      .selectFrom('memberships')
      .innerJoin('organisations', 'organisations.id', 'memberships.org_id')
      .selectAll('organisations')
      .select('memberships.role')
      .where('memberships.user_id', '=', userId)
      .orderBy('organisations.id')
      .execute()
  ).map(row => ({ ...toOrganisation(row), role: row.role as Role }));
