import { Database } from 'bun:sqlite';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { sluiceCommand } from './executable.ts';
import { type Look, type RowsOfOld, readRowsOfOld } from './first-edition-rows.ts';
import { freshDatabase } from './postgres.ts';

/**
 * What the first edition left behind, opened by the server of today. Everything here is done from outside, as an
 * operator, a sender or a browser would: whatever becomes of the code, the data of old installations must still open.
 */
export interface OldInstallation {
  readonly url: string;
  readonly known: Known;
  /** What lay there before the server of today had seen it. */
  readonly left: RowsOfOld;
  readonly secretKey: string;
  /** The rows that are stored by now. */
  readonly stored: Look;
  close(): Promise<void>;
}

/** Secrets that are shown once, and ids: what people and programs of that time would have written down. */
export interface Known {
  readonly api_key: string;
  readonly revoked_key: string;
  readonly other_key: string;
  readonly hmac_token: string;
  readonly hmac_secret: string;
  readonly bearer_token: string;
  readonly bearer_secret: string;
  readonly warehouse_secret: string;
  readonly invitation: string;
  readonly first_order: string;
  readonly first_payment: string;
  readonly first_form: string;
  readonly idempotent: string;
}

/** Everybody's. */
export const PASSWORD = 'correct horse battery';

const KEPT = join(import.meta.dir, '../fixtures/first-edition');
/** The one that the database was written with. The data directory has its own beside it. */
const SECRET_KEY_OF_DATABASE = 'the secret key of the first edition, a fixture';

const unpacked = (file: string): Buffer => gunzipSync(readFileSync(join(KEPT, file)));
const known = JSON.parse(readFileSync(join(KEPT, 'known.json'), 'utf8')) as Record<string, Known>;

/** What befalls it before the server of today is started on it: given its data directory, or the address of its database. */
type Meanwhile = (where: string) => Promise<void>;
const nothing: Meanwhile = async () => {};

export const oldInstallations = {
  async SQLite(meanwhile = nothing): Promise<OldInstallation> {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-first-edition-'));
    unpackInto(directory);
    const left = await leftInCopy();
    await meanwhile(directory);
    const server = await serve({ SLUICE_DATA_DIR: directory });
    return {
      url: server.url,
      known: known.sqlite as Known,
      left,
      secretKey: readFileSync(join(directory, 'secret.key'), 'utf8').trim(),
      stored: lookInto(directory),
      async close() {
        await server.stop();
        rmSync(directory, { recursive: true });
      },
    };
  },

  async PostgreSQL(meanwhile = nothing, makeDatabase = freshDatabase): Promise<OldInstallation> {
    const database = await makeDatabase();
    const restoring = await connect(database.url);
    await restoreDatabaseOfOld(restoring);
    const left = await readRowsOfOld(lookThrough(restoring));
    await restoring.end();
    await meanwhile(database.url);
    const client = await connect(database.url);
    const server = await serve({
      SLUICE_DATABASE_URL: database.url,
      SLUICE_SECRET_KEY: SECRET_KEY_OF_DATABASE,
    });
    return {
      url: server.url,
      known: known.postgres as Known,
      left,
      secretKey: SECRET_KEY_OF_DATABASE,
      stored: lookThrough(client),
      async close() {
        await server.stop();
        await client.end();
        await database.drop();
      },
    };
  },
} as const;

export const restoreDatabaseOfOld = (client: pg.Client) =>
  client.query(unpacked('postgres.sql.gz').toString());

const unpackInto = (directory: string): Buffer =>
  execFileSync('tar', ['-x', '-C', directory], { input: unpacked('sqlite.tar.gz') });

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

const lookThrough =
  (client: pg.Client): Look =>
  async <Row>(statement: string) =>
    (await client.query(statement)).rows as Row[];

const lookInto =
  (directory: string): Look =>
  async <Row>(statement: string) => {
    const database = new Database(join(directory, 'sluice.db'), { readonly: true });
    try {
      return database.query(statement).all() as Row[];
    } finally {
      database.close();
    }
  };

/** In a copy of its own: whoever opens the file has begun with its write-ahead log, which is the server's to meet. */
async function leftInCopy(): Promise<RowsOfOld> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-first-edition-'));
  try {
    unpackInto(directory);
    return await readRowsOfOld(lookInto(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function serve(settings: Record<string, string>) {
  const [command, ...args] = sluiceCommand();
  const child = spawn(command, [...args, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      // As an operator's process ends up with; given at once, it spares each start a second one.
      BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
      SLUICE_PORT: '0',
      SLUICE_HOST: '127.0.0.1',
      SLUICE_LOG_LEVEL: 'error',
      SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
      SLUICE_ALLOW_HTTP: 'true',
      // However old the fixture gets, nothing of it is removed before it was looked at.
      SLUICE_RETENTION_DAYS: '36500',
      SLUICE_DEAD_LETTER_DAYS: '36500',
      ...settings,
    },
  });
  const kill = () => void child.kill('SIGKILL');
  process.on('exit', kill);
  const ended = once(child, 'close').finally(() => process.off('exit', kill));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk;
      const announced = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (announced) resolve(announced);
    });
    void ended.then(() => reject(new Error(`The server ended before it was ready: ${output}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
