import { describe, expect, test } from 'bun:test';
import type { DatabaseThread } from '../../databases/database-thread.ts';
import type { LocatedDatabase } from '../../databases/pools.ts';
import type { GuardedClient } from '../../guarded-client/client.ts';
import { readConnectionString } from './connection-string.ts';
import { openDatabase } from './database.ts';

/** What is connected to for a connection string, where its host is the operator's own and where it is not. */
async function connected(text: string, isListed: boolean): Promise<LocatedDatabase> {
  const asked: LocatedDatabase[] = [];
  const databases: DatabaseThread = {
    async use(_name, _ask, database) {
      asked.push(database);
      return { kind: 'failed', failure: { code: 'timeout', message: '' }, wasReached: true };
    },
    letGo: () => {},
    stop: () => {},
  };
  const located = {
    kind: 'located' as const,
    name: 'db.test',
    serverName: 'db.test',
    addresses: ['198.51.100.1'] as const,
    isListed,
  };
  const client = { locate: () => located } as unknown as GuardedClient;
  const database = openDatabase(readConnectionString(text), undefined, {
    client,
    databases,
    egressAddresses: [],
  });
  await database.use('read_table', { table: 't' }, 1_000);
  return asked[0] as LocatedDatabase;
}

describe('a database is connected to', () => {
  const address = 'postgres://u:p@db.test/x';
  for (const [query, isListed, tls] of [
    ['', false, true],
    ['', true, false],
    ['?sslmode=disable', false, false],
    ['?sslmode=require', true, true],
    ['?sslmode=verify-full', false, true],
  ] as const) {
    const where = isListed ? 'an address of the operator’s own' : 'an address of anybody’s';
    test(`${tls ? 'with' : 'without'} TLS at ${where} by ${query || 'a string that does not say'}`, async () => {
      expect((await connected(`${address}${query}`, isListed)).tls).toBe(tls);
    });
  }
});
