import type { AccountStore } from '../../core/stores/accounts.ts';
import { migrations } from '../migrations/index.ts';
import { perform, toAccountStore } from '../operations.ts';
import { databaseFile } from './engine.ts';
import { openForWriting, queryBuilder } from './open.ts';

/**
 * The accounts of a database that a running server has locked for itself, for a command beside it. The lock keeps a
 * second server away; SQLite itself has many processes write one after the other, each in a transaction that the other
 * waits for. Nothing is asked of the server, so nothing can be asked of it by anybody else: whoever may write the file
 * may do this, and nobody else. Accounts alone, since a server keeps no copy of them, as it does of keys and sources.
 */
export function openAccountsBeside(directory: string): { accounts: AccountStore; close(): void } {
  const database = openForWriting(databaseFile(directory));
  const db = queryBuilder(database);

  /** Asked within the transaction: the server may be a new one that is just migrating. */
  function requireThisSchema(): void {
    const { user_version: found } = database.query('PRAGMA user_version').get() as { user_version: number };
    if (found === migrations.length) return;
    throw new Error(
      `The server that is running is of another version than this command (schema ${found}, this one knows ${migrations.length}). Use the command of that version.`,
    );
  }

  return {
    accounts: toAccountStore(async (name, args) => {
      database.run('BEGIN IMMEDIATE');
      try {
        requireThisSchema();
        const result = await perform(db, name, args);
        database.run('COMMIT');
        return result;
      } catch (error) {
        if (database.inTransaction) database.run('ROLLBACK');
        throw error;
      }
    }),
    close: () => database.close(),
  };
}
