import type { ProvedUser } from '../../../core/stores/accounts.ts';
import type { Db } from '../../schema.ts';

/**
 * To check a password takes its time, and meanwhile it may be replaced. The lock on the user waits for such a change,
 * and then finds another hash: false, and whoever proved the old password has proved nothing. Until this transaction
 * ends it is not replaced any more.
 */
export async function lockProved(db: Db, { id, passwordHash }: ProvedUser): Promise<boolean> {
  const proved = await db
    .updateTable('users')
    .set(eb => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .returning('id')
    .executeTakeFirst();
  return proved !== undefined;
}
