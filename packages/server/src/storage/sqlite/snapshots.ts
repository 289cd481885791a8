import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** So many reads of several statements go on side by side; one more waits until one of them ends. */
const MOST_AT_ONCE = 8;

/**
 * Reads of several statements that must agree: each has a connection of its own for as long as it takes, in a
 * transaction, so that it sees one state of the database whatever is written meanwhile. Connections are opened as
 * they are needed and kept.
 */
export function createSnapshots(open: () => Kysely<Schema>) {
  const idle: Kysely<Schema>[] = [];
  const waiting: ((connection: Kysely<Schema>) => void)[] = [];
  let opened = 0;

  function take(): Kysely<Schema> | Promise<Kysely<Schema>> {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (opened === MOST_AT_ONCE) return new Promise(resolve => waiting.push(resolve));
    const connection = open();
    opened++;
    return connection;
  }

  function giveBack(connection: Kysely<Schema>): void {
    const next = waiting.shift();
    if (next) next(connection);
    else idle.push(connection);
  }

  return {
    async read<T>(work: (snapshot: Kysely<Schema>) => Promise<T>): Promise<T> {
      const connection = await take();
      try {
        return await connection.transaction().execute(work);
      } finally {
        giveBack(connection);
      }
    },
  };
}
