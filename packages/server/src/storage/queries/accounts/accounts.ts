import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';
import { createOrganisation } from './organisations.ts';
import { removeSecondFactor } from './second-factors.ts';

/** Users: their accounts and passwords. */

const toUser = (row: Schema['users']): User => ({
  id: row.id,
  email: row.email,
  passwordHash: row.password_hash,
  createdAt: row.created_at,
});

export const toUserRow = (user: User): Schema['users'] => ({
  id: user.id,
  email: user.email,
  password_hash: user.passwordHash,
  created_at: user.createdAt,
  last_org_id: null,
  time_zone: 'local',
  clock: '24h',
});

export const hasUsers: Operation<AccountStore['hasUsers']> = async db =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

export const createFirstUser: Operation<AccountStore['createFirstUser']> = async (db, user, org) => {
  // The row decides between two nodes that set up at once: the second one waits for it and finds it taken.
  const claimed = await db
    .insertInto('settings')
    .values({ name: 'first_user', value: user.id })
    .onConflict(conflict => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  if (!claimed) return false;
  await db.insertInto('users').values(toUserRow(user)).execute();
  await createOrganisation(db, org, user.id);
  return true;
};

export const findUserByEmail: Operation<AccountStore['findUserByEmail']> = async (db, email) => {
  const row = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  return row ? toUser(row) : null;
};

export const setTimeDisplay: Operation<AccountStore['setTimeDisplay']> = async (db, userId, change) => {
  if (Object.keys(change).length === 0) return;
  await db.updateTable('users').set(change).where('id', '=', userId).execute();
};

export const setPassword: Operation<AccountStore['setPassword']> = async (
  db,
  userId,
  passwordHash,
  { provedHash, keepSession = '', turnOffSecondFactor = false } = {},
) => {
  let update = db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId);
  if (provedHash !== undefined) update = update.where('password_hash', '=', provedHash);
  if ((await update.returning('id').executeTakeFirst()) === undefined) return false;
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('token_hash', '!=', keepSession)
    .execute();
  if (turnOffSecondFactor) await removeSecondFactor(db, userId);
  return true;
};
