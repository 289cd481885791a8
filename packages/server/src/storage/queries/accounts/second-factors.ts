import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { lockProved } from './proof.ts';

/** Second factors: the sealed secrets of authenticator apps, and the hashes of recovery codes. */

export const findSecondFactor: Operation<AccountStore['findSecondFactor']> = async (db, userId) => {
  const row = await db
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!row) return null;
  const codes = await db
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('user_id', '=', userId)
    .execute();
  return { sealedSecret: row.sealed_secret, createdAt: row.created_at, recoveryCodesLeft: codes.length };
};

export const turnOnSecondFactor: Operation<AccountStore['turnOnSecondFactor']> = async (
  db,
  user,
  factor,
  recoveryHashes,
) => {
  if (!(await lockProved(db, user))) return 'password_changed';
  const made = await db
    .insertInto('second_factors')
    .values({
      user_id: user.id,
      sealed_secret: factor.sealedSecret,
      last_step: factor.step,
      created_at: factor.createdAt,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (!made) return 'already_on';
  await setRecoveryCodes(db, user.id, recoveryHashes);
  return 'changed';
};

export const turnOffSecondFactor: Operation<AccountStore['turnOffSecondFactor']> = async (db, user) => {
  if (!(await lockProved(db, user))) return 'password_changed';
  return (await removeSecondFactor(db, user.id)) ? 'changed' : 'already_off';
};

/** Whoever asks for it; false where it is off. */
export async function removeSecondFactor(db: Db, userId: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  await setRecoveryCodes(db, userId, []);
  return removed !== undefined;
}

export const replaceRecoveryCodes: Operation<AccountStore['replaceRecoveryCodes']> = async (
  db,
  user,
  recoveryHashes,
) => {
  // Locks the person, so that of two sets made at once one is left and not both.
  if (!(await lockProved(db, user))) return 'password_changed';
  const found = await db
    .selectFrom('second_factors')
    .select('user_id')
    .where('user_id', '=', user.id)
    .executeTakeFirst();
  if (!found) return 'already_off';
  await setRecoveryCodes(db, user.id, recoveryHashes);
  return 'changed';
};

async function setRecoveryCodes(db: Db, userId: string, hashes: readonly string[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await db
    .insertInto('recovery_codes')
    .values(hashes.map(code_hash => ({ user_id: userId, code_hash })))
    .execute();
}

/** One statement decides, so that a code sent to two nodes at once is accepted by one. */
export const spendTotpStep: Operation<AccountStore['spendTotpStep']> = async (db, userId, step) =>
  (await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()) !== undefined;

export const spendRecoveryCode: Operation<AccountStore['spendRecoveryCode']> = async (db, userId, codeHash) =>
  (await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .returning('user_id')
    .executeTakeFirst()) !== undefined;
