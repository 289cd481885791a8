import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import type { Operation } from '../../operation.ts';

/** What the installation keeps about itself, and the removal of what has expired. */

export const keepSetting: Operation<UpkeepStore['keepSetting']> = async (db, name, value) => {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  return (await findSetting(db, name)) ?? value;
};

export const findSetting: Operation<UpkeepStore['findSetting']> = async (db, name) => {
  const kept = db.selectFrom('settings').select('value').where('name', '=', name);
  return (await kept.executeTakeFirst())?.value ?? null;
};

export const replaceSetting: Operation<UpkeepStore['replaceSetting']> = async (db, name, from, to) =>
  (await db
    .updateTable('settings')
    .set({ value: to })
    .where('name', '=', name)
    .where('value', '=', from)
    .returning('name')
    .executeTakeFirst()) !== undefined;

export const pruneExpired: Operation<UpkeepStore['pruneExpired']> = async (db, now, limit) => {
  const keys = await db
    .selectFrom('idempotency_keys')
    .select(['scope', 'key'])
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  for (const { scope, key } of keys) {
    await db
      .deleteFrom('idempotency_keys')
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('expires_at', '<=', now)
      .execute();
  }
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  await db.deleteFrom('invitations').where('expires_at', '<=', now).execute();
  return keys.length;
};
