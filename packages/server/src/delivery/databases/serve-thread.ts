import { LRUCache } from 'lru-cache';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import { readTable, type Table } from './catalogue.ts';
import { insertRow, isOtherTable } from './insert.ts';
import { createPools, type LocatedDatabase, type Used } from './pools.ts';
import type { DatabaseCall, DatabaseReply, Insertion, Work } from './protocol.ts';

const BEAT_MS = 100;
const MOST_TABLES = 1_000;

/** The inner end of the thread that talks to databases: everything that one of them sends is read here. */
export function serveDatabases(end: {
  post(message: DatabaseReply): void;
  onMessage(handle: (message: DatabaseCall) => void): void;
}): void {
  const pools = createPools();
  // Read once, and dropped when the database says that the table is no longer so.
  const tables = new LRUCache<string, Table>({ max: MOST_TABLES });

  /** Those that wait to hear whether they are still wanted. */
  const ready = new Map<number, (isWanted: boolean) => void>();

  function work({ call, name, ask, database, timeoutMs }: Extract<DatabaseCall, { kind: 'work' }>) {
    return name === 'read_table'
      ? pools.use(database, timeoutMs, client => readTable(client, (ask as Work['read_table']['ask']).table))
      : insert(call, database, ask as Insertion, timeoutMs);
  }

  /** A connection may have come after seconds, in which somebody paused or withdrew what is to be sent over it. */
  async function requireWanted(call: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    ready.set(call, resolve);
    end.post({ kind: 'ready', call });
    if (!(await promise)) throw new NoLongerWanted();
  }

  function insert(
    call: number,
    database: LocatedDatabase,
    insertion: Insertion,
    timeoutMs: number,
  ): Promise<Used<string>> {
    const began = performance.now();
    const name = `${database.key} ${insertion.table}`;
    return pools.use(database, timeoutMs, async (client, hasWaited) => {
      const known = tables.get(name);
      const table = known ?? (await readTable(client, insertion.table));
      tables.set(name, table);
      if (hasWaited || known === undefined) await requireWanted(call);
      try {
        return await insertRow(client, table, insertion, timeoutMs - (performance.now() - began));
      } catch (error) {
        if (isOtherTable(error)) tables.delete(name);
        throw error;
      }
    });
  }

  end.onMessage(message => {
    switch (message.kind) {
      case 'open': {
        const beats = new Int32Array(message.heartbeat);
        const beat = () => Atomics.add(beats, 0, 1);
        beat();
        setInterval(beat, BEAT_MS);
        return;
      }
      case 'work':
        void work(message).then(result => {
          ready.delete(message.call);
          end.post({ kind: 'done', call: message.call, result });
        });
        return;
      case 'go':
        ready.get(message.call)?.(message.isWanted);
        return;
      case 'let_go':
        pools.letGo(message.key);
    }
  });
}
