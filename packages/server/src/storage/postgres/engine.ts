import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import type pg from 'pg';
import type { ChangeListener, ConfigurationChange, WorkKind } from '../../core/stores/change.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import { accessOf, changeOf, isRefusal, type OperationName, perform, toStores } from '../operations.ts';
import type { Schema } from '../schema.ts';
import { createAppend } from './append.ts';
import { postgresCapabilities } from './capabilities.ts';
import { CHANGES_CHANNEL, listenForChanges, WORK_CHANNEL } from './changes.ts';
import { createClaim } from './claim.ts';
import { readConnections } from './connection.ts';
import { createClaimDeliveries, createRecordAttempts } from './deliver.ts';
import { createWriteEntities } from './entities.ts';
import { reasonOf, retrying } from './failure.ts';
import { migratePostgres, readSchemaVersion, writtenByNewer } from './migrate.ts';
import { UnusableDatabase } from './prepare-session.ts';
import { CONNECT_MS, createPrimary, NoPrimary, type Primary } from './primary.ts';
import { readReplication } from './replication.ts';
import { openSessionPool, type SessionPool } from './sessions.ts';
import { createSettle } from './settle.ts';
import { hasUnfinishedMove, UNFINISHED_MOVE } from './unfinished-move.ts';
import { createWorkHints } from './work-hints.ts';

/** How long things may take before they are given up. */
interface Timeouts {
  /** At the start, for a server that is not there yet. */
  readonly reachMs: number;
  /** To connect and sign in. */
  readonly connectMs: number;
  /** For a connection while all are in use. */
  readonly waitMs: number;
  /** One statement of an append, since a sender waits for it. */
  readonly appendMs: number;
  /** One statement that a sender waits for before its events are taken, and then for that. */
  readonly sendersMs: number;
  /** One statement of a heartbeat: of three one may hang for this long, and the next is still in time. */
  readonly nodesMs: number;
  /** One statement of the dashboard or of upkeep. */
  readonly otherMs: number;
}

const defaultTimeouts: Timeouts = {
  reachMs: 10_000,
  connectMs: CONNECT_MS,
  waitMs: 5_000,
  appendMs: 10_000,
  sendersMs: 4_000,
  nodesMs: 4_000,
  otherMs: 60_000,
};

const ofNodes: ReadonlySet<OperationName> = new Set([
  'join',
  'heartbeat',
  'buryNodes',
  'leave',
  'listClaims',
  'freeClaims',
]);

const ofSenders: ReadonlySet<OperationName> = new Set([
  'findApiKeyByHash',
  'findSourceByTokenHash',
  'findOrganisation',
  'findEventsOfKey',
]);

/** Asked each time that there may be something to deliver. */
const ofWorkers: ReadonlySet<OperationName> = new Set(['listWaitingDestinations']);

/** The PostgreSQL engine: stores on a few pools of connections, and changes announced to other nodes. */
export async function openPostgres(options: {
  url: string;
  /** So many standbys must have what is committed before that is answered; 0 leaves it to the server. */
  replicas?: number;
  /** The server would not keep what it acknowledges: end the process. */
  onFatal(reason: string): void;
  timeouts?: Partial<Timeouts>;
}): Promise<StorageEngine> {
  const { replicas = 0 } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { connectMs, waitMs } = timeouts;
  const primary = createPrimary(readConnections(options.url), { replicas, connectMs });
  await prepareDatabase(primary, timeouts.reachMs);

  // Appends and the workers have connections of their own, so that no number of slow questions can keep them waiting.
  const shared = { waitMs, onFatal: options.onFatal };
  const appending = openSessionPool(primary, {
    ...shared,
    most: 4,
    statementMs: timeouts.appendMs,
    isOneWait: true,
    byIndex: true,
    replicas,
  });
  const working = openSessionPool(primary, {
    ...shared,
    most: 6,
    statementMs: timeouts.otherMs,
    byIndex: true,
  });
  const others = openSessionPool(primary, { ...shared, most: 8, statementMs: timeouts.otherMs });
  // A heartbeat waits for nobody: one connection for it, and one for the claims of those that are not heard any more.
  const nodes = openSessionPool(primary, { ...shared, most: 2, statementMs: timeouts.nodesMs });
  const senders = openSessionPool(primary, {
    ...shared,
    most: 3,
    statementMs: timeouts.sendersMs,
    isOneWait: true,
  });
  const pools = [appending, working, others, nodes, senders];
  const db = queryBuilder(others);
  const nodesDb = queryBuilder(nodes);
  const sendersDb = queryBuilder(senders);
  const workingDb = queryBuilder(working);
  const databaseFor = (name: OperationName) => {
    if (ofNodes.has(name)) return nodesDb;
    if (ofSenders.has(name)) return sendersDb;
    return ofWorkers.has(name) ? workingDb : db;
  };

  const listeners: ChangeListener[] = [];
  const announce: ChangeListener = change => {
    for (const listener of listeners) listener(change);
  };
  const workListeners: ((what: WorkKind) => void)[] = [];
  const changes = await listenForChanges(
    primary,
    announce,
    what => {
      for (const listener of workListeners) listener(what);
    },
    replicas,
  );
  const hints = createWorkHints(what =>
    sql`SELECT pg_notify(${WORK_CHANNEL}, ${what})`.execute(sendersDb).then(() => {}),
  );

  /** All statements on one state of the database, which nobody else's commit changes in between. */
  const readSnapshot = (name: OperationName, args: readonly unknown[]) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(transaction => perform(transaction, name, args));

  async function write(name: OperationName, args: readonly unknown[]): Promise<unknown> {
    const change = changeOf(name, args);
    const result = await retrying(() =>
      databaseFor(name)
        .transaction()
        .execute(async transaction => {
          const result = await perform(transaction, name, args);
          if (change && !isRefusal(result)) await notifyOf(change).execute(transaction);
          return result;
        }),
    );
    // This node does not wait for the feed to bring its own change.
    if (change && !isRefusal(result)) announce(change);
    return result;
  }

  /**
   * A newer version may start beside this one and change what this one relies on, and a move begin to fill the database
   * while this node starts and nobody knows of it yet: it must not go on then.
   */
  async function endWhereUnusable(): Promise<void> {
    const session = await nodes.acquire();
    let reason: string | null = null;
    try {
      const { found, isUnderstood } = await readSchemaVersion(session);
      if (!isUnderstood) reason = writtenByNewer(found);
      else if (await hasUnfinishedMove(session)) reason = UNFINISHED_MOVE;
    } finally {
      session.release();
    }
    if (reason === null) return;
    options.onFatal(reason);
    throw new UnusableDatabase(reason);
  }

  const run = {
    read: (name, args) => perform(databaseFor(name), name, args),
    snapshot: readSnapshot,
    async write(name, args) {
      if (name === 'heartbeat' || name === 'join') await endWhereUnusable();
      return write(name, args);
    },
  } satisfies Record<
    ReturnType<typeof accessOf>,
    (name: OperationName, args: readonly unknown[]) => Promise<unknown>
  >;
  const stores = toStores((name, args) => run[accessOf(name, args)](name, args), {
    append: createAppend(appending),
    claimEvents: createClaim(working),
    settleEvents: createSettle(working),
    claimDeliveries: createClaimDeliveries(working),
    recordAttempts: createRecordAttempts(working),
    writeEntities: createWriteEntities(others),
  });

  return {
    ...stores,
    capabilities: postgresCapabilities,
    checkWritable: () => checkWritable(appending),
    async measure() {
      const { rows } = await sql<{ bytes: number }>`
        SELECT pg_database_size(current_database()) AS bytes`.execute(db);
      return { engine: 'postgres', bytes: Number(rows[0]?.bytes ?? 0), freeBytes: null };
    },
    replication: () => readReplication(db, primary.address),
    onConfigurationChanged: listener => void listeners.push(listener),
    changeFeedIsLive: changes.isLive,
    hintAtWork: hints.hint,
    onWorkHinted: listener => void workListeners.push(listener),
    async close() {
      hints.close();
      await changes.close();
      await Promise.all(pools.map(pool => pool.close()));
    },
  };
}

const notifyOf = (change: ConfigurationChange) =>
  sql`SELECT pg_notify(${CHANGES_CHANNEL}, ${JSON.stringify(change)})`;

/** Checks and migrates before anything is served. A server that cannot be used stops the start with one line. */
async function prepareDatabase(primary: Primary, reachMs: number): Promise<void> {
  const client = await reach(primary, Date.now() + reachMs);
  try {
    await migratePostgres(client);
  } catch (error) {
    throw error instanceof UnusableDatabase ? error : cannotUse(client, error);
  } finally {
    await client.end();
  }
}

const CHECK_URL = 'Check SLUICE_DATABASE_URL.';

const cannotUse = ({ host, port }: pg.Client, error: unknown): Error =>
  new Error(`PostgreSQL at ${host}:${port} cannot be used: ${reasonOf(error)}. ${CHECK_URL}`);

async function reach(primary: Primary, deadline: number): Promise<pg.Client> {
  for (;;) {
    try {
      // A migration takes as long as it takes.
      return await primary.connect({ name: 'sluice', statementMs: 0 });
    } catch (error) {
      if (error instanceof UnusableDatabase) throw error;
      const isHopeless = error instanceof NoPrimary && error.isHopeless;
      if (isHopeless || Date.now() > deadline) {
        throw error instanceof NoPrimary ? new Error(`${error.message} ${CHECK_URL}`) : error;
      }
      await sleep(100);
    }
  }
}

/** A commit that changes something, so that it fails while the disk is full or the server only reads. */
async function checkWritable(sessions: SessionPool): Promise<void> {
  const session = await sessions.acquire();
  try {
    await session.query(
      `INSERT INTO settings (name, value) VALUES ('checked', $1)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(Date.now())],
    );
  } finally {
    session.release();
  }
}

function queryBuilder(sessions: SessionPool): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: {
        async connect() {
          const session = await sessions.acquire();
          const client: Pick<PostgresPoolClient, 'release'> & { query: unknown } = {
            query: (text: string, values: readonly unknown[]) => session.query(text, values.map(storable)),
            release: session.release,
          };
          return client as PostgresPoolClient;
        },
        end: sessions.close,
      },
    }),
  });
}

/** PostgreSQL holds no NUL, so no row matches a text with one: ask for what such a text would be stored as. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
