import { LRUCache } from 'lru-cache';
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

  function work({ name, ask, database, timeoutMs }: Extract<DatabaseCall, { kind: 'work' }>) {
    return name === 'read_table'
      ? pools.use(database, timeoutMs, client => readTable(client, (ask as Work['read_table']['ask']).table))
      : insert(database, ask as Insertion, timeoutMs);
  }

  function insert(database: LocatedDatabase, insertion: Insertion, timeoutMs: number): Promise<Used<string>> {
    const began = performance.now();
    const name = `${database.key} ${insertion.table}`;
    return pools.use(database, timeoutMs, async client => {
      const table = tables.get(name) ?? (await readTable(client, insertion.table));
      tables.set(name, table);
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
        setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
        return;
      }
      case 'work':
        void work(message).then(result => end.post({ call: message.call, result }));
        return;
      case 'let_go':
        pools.letGo(message.key);
    }
  });
}
