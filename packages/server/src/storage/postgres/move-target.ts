import pg from 'pg';
import { minutes } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { KEY_CHECK_SETTING } from '../../core/secrets/key-check.ts';
import { migrations } from '../migrations/index.ts';
import {
  type Chunk,
  isSame,
  type KeyRange,
  type MovedTable,
  type RowKey,
  type Summary,
} from '../move/table.ts';
import type { UnwrittenMinutes } from '../queries/counters/unwritten-minutes.ts';
import { readConnections } from './connection.ts';
import { reasonOf, toStorageError } from './failure.ts';
import { makeIndexes, takeIndexesAway, unhurried } from './later-indexes.ts';
import { lockMigrations, migratePostgres } from './migrate.ts';
import { addMissing, removeOthers, summarise } from './move-rows.ts';
import { requireNewDatabase } from './new-database.ts';
import { createPrimary, NoPrimary } from './primary.ts';
import {
  beginUnfinishedMove,
  endUnfinishedMove,
  hasUnfinishedMove,
  openUnfinishedMove,
} from './unfinished-move.ts';

/** The PostgreSQL database that `sluice move` fills: one connection, which keeps every other move away. */
export interface MoveTarget {
  /** How far the first copy has come; null once it has been through all tables. */
  readonly position: MovePosition | null;
  summarise(table: MovedTable, range: KeyRange): Promise<Summary>;
  /** Makes the rows of the chunk's range those of the chunk. */
  makeSame(table: MovedTable, chunk: Chunk, found: Summary, input: MakeSameInput): Promise<MadeSame>;
  /** All tables have been copied once: the indexes are made, and whoever comes next looks for what differs. */
  endFirstCopy(onStep: (line: string) => void): Promise<void>;
  /** What the secret keys yield that have sealed what is here now. */
  keyCheck(): Promise<string | null>;
  /**
   * Everything is there: from now on a service may run on it, and counts these minutes again. `beforehand` is done last,
   * before that is on record.
   */
  complete(
    onStep: (line: string) => void,
    unwritten: readonly UnwrittenMinutes[],
    beforehand: () => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Of a first copy: all before this key is there. */
interface MovePosition {
  readonly table: string;
  readonly after: RowKey | null;
}

interface MakeSameInput {
  /** Put down together with the rows. */
  readonly position: MovePosition | null;
  /** Whether the target is asked once more what it has. */
  readonly check: boolean;
}

interface MadeSame {
  readonly changed: number;
  /** Some rows have to wait for those of other chunks. */
  readonly isWaiting: boolean;
}

/** The server cannot be asked now; whoever asks later goes on where it was. */
export class TargetLost extends Error {}

/** A chunk takes a second; more where the source has lost millions of rows since, which the target then has to find. */
const CHUNK_MS = minutes(30);

/** Any number that nothing else in the database locks. */
const MOVE_LOCK = 7_584_223_002;

const POSITION = 'position';
const [INSTALLATION, SCHEMA] = ['installation', 'schema'];

export async function openMoveTarget(options: {
  readonly url: string;
  readonly replicas: number;
  readonly installation: string;
  readonly tables: readonly MovedTable[];
}): Promise<MoveTarget> {
  const primary = createPrimary(readConnections(options.url), { replicas: options.replicas });
  const client = await orLost(() =>
    primary.connect({ name: 'sluice move', statementMs: 0, answerMs: CHUNK_MS, byIndex: true }),
  );
  const move = openUnfinishedMove(client);
  try {
    const position = await orLost(async () => {
      await prepare(client, options);
      return readPosition(await move.find(POSITION));
    });
    return {
      position,
      summarise: (table, range) => orLost(() => summarise(client, table, range)),
      makeSame: (table, chunk, found, input) =>
        inTransaction(client, async () => {
          const made = await makeSame(client, table, chunk, found, input.check);
          if (input.position !== null) await move.keep(POSITION, JSON.stringify(input.position));
          return made;
        }),
      endFirstCopy: onStep =>
        orLost(async () => {
          await makeIndexes(client, move, { mustAll: false, onStep });
          await move.keep(POSITION, 'null');
        }),
      async keyCheck() {
        const { rows } = await orLost(() =>
          client.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [KEY_CHECK_SETTING]),
        );
        return rows[0]?.value ?? null;
      },
      async complete(onStep, unwritten, beforehand) {
        await orLost(async () => {
          await makeIndexes(client, move, { mustAll: true, onStep });
          onStep('Gathering statistics');
          await client.query(unhurried('ANALYZE'));
        });
        // Whatever goes wrong with that is not the target's, and does not become right by being tried again.
        beforehand();
        // This commit waits for the disk, and for standbys: with it all are there that came before it.
        await orLost(() => end(client, unwritten));
      },
      close: () => client.end().catch(() => {}),
    };
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}

async function prepare(
  client: pg.Client,
  { installation, tables }: { readonly installation: string; readonly tables: readonly MovedTable[] },
): Promise<void> {
  const { rows } = await client.query<{ isOurs: boolean }>('SELECT pg_try_advisory_lock($1) AS "isOurs"', [
    MOVE_LOCK,
  ]);
  if (rows[0]?.isOurs !== true) throw new TargetLost('Another sluice move to this database is under way');
  if (!(await hasUnfinishedMove(client))) await begin(client, installation);
  const move = openUnfinishedMove(client);
  if ((await move.find(INSTALLATION)) !== installation) {
    throw new Error(
      'The database is the target of an unfinished move of another installation: finish that, or give another database.',
    );
  }
  if ((await move.find(SCHEMA)) !== String(migrations.length)) {
    throw new Error(
      'The move was started by another version of Sluice. Drop the target database, create it again, and start again with this version; the source is unchanged.',
    );
  }
  for (const table of tables) await requireSameColumns(client, table);
}

async function begin(client: pg.Client, installation: string): Promise<void> {
  await requireNewDatabase(client, installation);
  await migratePostgres(client);
  await client.query('BEGIN');
  try {
    await lockMigrations(client);
    // A service may have been started on it since.
    await requireNewDatabase(client, installation);
    await beginUnfinishedMove(client);
    const move = openUnfinishedMove(client);
    await move.keep(INSTALLATION, installation);
    await move.keep(SCHEMA, String(migrations.length));
    await takeIndexesAway(client, move);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The one with the other: what is noted too early would be found to be no row of the source. */
async function end(client: pg.Client, unwritten: readonly UnwrittenMinutes[]): Promise<void> {
  await client.query('BEGIN');
  try {
    for (const { from, to } of unwritten) {
      await client.query(
        `INSERT INTO lost_counts (node_id, seen_at, buried_at, from_at, to_at)
         VALUES ($1, $3, (extract(epoch FROM now()) * 1000)::bigint, $2, $3)`,
        [newId('node'), from, to],
      );
    }
    await endUnfinishedMove(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function requireSameColumns(client: pg.Client, { name, columns }: MovedTable): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1`,
    [name],
  );
  const found = new Set(rows.map(row => row.name));
  if (found.size === columns.length && columns.every(column => found.has(column.name))) return;
  throw new Error(`The table ${name} has other columns in the target than in the source.`);
}

async function makeSame(
  client: pg.Client,
  table: MovedTable,
  chunk: Chunk,
  found: Summary,
  check: boolean,
): Promise<MadeSame> {
  const { removed, kept } =
    found.count === 0 ? { removed: 0, kept: new Set<string>() } : await removeOthers(client, table, chunk);
  const added = await addMissing(client, table, chunk, kept);
  if (added === 'not yet') return { changed: removed, isWaiting: true };
  if (check && !isSame(await summarise(client, table, chunk), chunk)) {
    throw new Error(
      `The rows of ${table.name} differ in the target after being copied: something there changes what is written, such as a trigger or a rule. The move is not finished.`,
    );
  }
  // One that is carried again is one that has changed.
  return { changed: Math.max(added, removed), isWaiting: false };
}

/** Nothing is lost where the server forgets it: the position is put down with the rows, or not at all. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  return orLost(async () => {
    await client.query('BEGIN; SET LOCAL synchronous_commit = off');
    try {
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}

const readPosition = (kept: string | null): MovePosition | null =>
  kept === null ? { table: '', after: null } : (JSON.parse(kept) as MovePosition | null);

/** Whatever only says that the server is away is told apart from what the operator has to see to. */
async function orLost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAway =
      error instanceof NoPrimary
        ? !error.isHopeless
        : (error instanceof pg.DatabaseError || isOfConnection(error)) &&
          toStorageError(error) instanceof Problem;
    throw isAway ? new TargetLost(reasonOf(error)) : error;
  }
}

/** Of sockets by their code, of the library by its words. */
const isOfConnection = (error: unknown): boolean => {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^E[A-Z]+$/.test(code) || /^(Connection terminated|Query read timeout|Client )/.test(message);
};
