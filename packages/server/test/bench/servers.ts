import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { days } from '../../src/core/clock.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type EveryStore, everyStore } from '../support/every-store.ts';
import { ENDING_WITH_ITS_PARENT } from '../support/process.ts';
import {
  type Seed,
  type SeededSource,
  seedOrganisation,
  TEST_SECRET_KEY,
  temporaryDirectory,
} from '../support/service.ts';

/** A server process under measurement. */
export interface Measured {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface MeasuredSluice extends Measured {
  readonly seed: Seed;
  readonly apiKey: string;
  readonly source: SeededSource;
  readonly directory: string;
  /** A session of the organisation's owner. */
  readonly cookie: string;
  /** A private call; answers its `data`. */
  post<T>(path: string, body: unknown): Promise<T>;
}

const sourceFile = (path: string) => join(import.meta.dir, path);

export const startBare = (): Promise<Measured> => spawnServer([sourceFile('bare-server.ts')], {});

export const startReceiver = (): Promise<Measured> => spawnServer([sourceFile('receiver-server.ts')], {});

export const startRelay = (receiver: Measured): Promise<Measured> =>
  spawnServer([sourceFile('relay-server.ts'), `${receiver.url}/hook`], {});

/** What a service needs to be allowed to send to a receiver on the same machine. */
const OPEN_TO_LOOPBACK = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };

export interface SluiceOptions {
  readonly databaseUrl?: string;
  readonly settings?: Record<string, string>;
  /** So many cores are all that it may run on; every one of the machine where this is left out. */
  readonly cores?: number;
  /** Puts more into the database before the server starts. */
  readonly prepare?: (storage: EveryStore, seed: Seed, engine: StorageEngine) => Promise<void>;
}

/**
 * The real server, as `npm start` starts it with every role on, on a fresh directory or the given PostgreSQL. All
 * that differs is that it may send to receivers of this machine.
 */
export async function startSluice(options: SluiceOptions = {}): Promise<MeasuredSluice> {
  const directory = temporaryDirectory();
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  const engine = await openStorage({
    directory,
    databaseUrl: options.databaseUrl,
    onFatal: reason => {
      throw new Error(reason);
    },
  });
  const seed = await seedOrganisation(engine);
  const source = await seed.source('hmac');
  const session = newSecret('session');
  await engine.accounts.beginSession(
    {
      tokenHash: hashSecret(session),
      userId: seed.userId,
      orgId: seed.orgId,
      createdAt: Date.now(),
      expiresAt: Date.now() + days(1),
    },
    '',
  );
  await options.prepare?.(everyStore(engine), seed, engine);
  await engine.close();
  const server = await startNode(directory, options);
  const cookie = `sluice_session=${session}`;
  return {
    ...server,
    directory,
    seed,
    apiKey: seed.apiKey,
    source,
    cookie,
    async post<T>(path: string, body: unknown) {
      const response = await fetch(`${server.url}/dashboard/api${path}`, {
        method: 'POST',
        headers: { Cookie: cookie, 'X-Sluice-CSRF': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path} was refused: ${await response.text()}`);
      return ((await response.json()) as { data: T }).data;
    },
    async stop() {
      await server.stop();
      process.off('exit', remove);
      remove();
    },
  };
}

/** One more node on the same database. */
export const startBeside = (
  { directory }: MeasuredSluice,
  options: Pick<SluiceOptions, 'databaseUrl' | 'settings'>,
): Promise<Measured> => startNode(directory, options);

function startNode(
  directory: string,
  { databaseUrl, settings, cores }: Omit<SluiceOptions, 'prepare'>,
): Promise<Measured> {
  const all = {
    SLUICE_PORT: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_DATA_DIR: directory,
    SLUICE_SECRET_KEY: TEST_SECRET_KEY,
    ...OPEN_TO_LOOPBACK,
    ...(databaseUrl ? { SLUICE_DATABASE_URL: databaseUrl } : {}),
    ...settings,
  };
  return spawnServer([sourceFile('../../src/main.ts'), 'serve'], all, cores);
}

async function spawnServer(
  args: string[],
  settings: Record<string, string>,
  cores?: number,
): Promise<Measured> {
  const within = cores === undefined ? [] : ['taskset', '-c', `0-${cores - 1}`];
  const process_ = Bun.spawn([...ENDING_WITH_ITS_PARENT, ...within, process.execPath, ...args], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  // Nothing is left running where a measurement fails.
  const end = () => process_.kill('SIGKILL');
  process.once('exit', end);
  const port = await portOf(process_.stdout);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: process_.pid,
    async stop() {
      process.off('exit', end);
      process_.kill('SIGTERM');
      await process_.exited;
    },
  };
}

/** Every server here says its port in its first lines; what it says later is read and dropped. */
async function portOf(output: ReadableStream<Uint8Array>): Promise<number> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let said = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The server ended before it was ready: ${said}`);
    said += decoder.decode(value, { stream: true });
    const port = /(?:127\.0\.0\.1:|listening on )(\d+)/.exec(said)?.[1];
    if (port === undefined) continue;
    void drain(reader);
    return Number(port);
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return Math.round(Number(kilobytes) / 1_024);
}
