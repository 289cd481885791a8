import { seconds } from '../../../core/clock.ts';
import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import type { Operation } from '../../operation.ts';

/** What the installation keeps about itself, the heartbeats of its nodes, and the removal of what has expired. */

export const keepSetting: Operation<UpkeepStore['keepSetting']> = async (db, name, value) => {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const kept = db.selectFrom('settings').select('value').where('name', '=', name);
  return (await kept.executeTakeFirst())?.value ?? value;
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

/** A node without a heartbeat for this long is taken for gone. */
const NODE_SILENCE_MS = seconds(15);

export const heartbeat: Operation<UpkeepStore['heartbeat']> = async (db, node, now) => {
  const seen = { seen_at: now, roles: node.roles.join(',') };
  await db
    .insertInto('nodes')
    .values({ id: node.id, ...seen })
    .onConflict(conflict => conflict.column('id').doUpdateSet(seen))
    .execute();
  await db
    .deleteFrom('nodes')
    .where('seen_at', '<', now - NODE_SILENCE_MS)
    .execute();
  const alive = await db.selectFrom('nodes').select('roles').execute();
  return alive.map(({ roles }) => roles.split(','));
};

export const leave: Operation<UpkeepStore['leave']> = async (db, nodeId) => {
  await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
};
