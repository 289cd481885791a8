import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { days } from '../../src/core/clock.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type EveryStore, everyStore } from '../support/every-store.ts';
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

export interface SluiceOptions {
  readonly databaseUrl?: string;
  readonly settings?: Record<string, string>;
  /** Puts more into the database before the server starts. */
  readonly prepare?: (storage: EveryStore, seed: Seed, engine: StorageEngine) => Promise<void>;
}

/** The real server, as `npm start` starts it, on a fresh directory or the given PostgreSQL. */
export async function startSluice(options: SluiceOptions = {}): Promise<MeasuredSluice> {
  const directory = temporaryDirectory();
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
  await engine.accounts.createSession({
    tokenHash: hashSecret(session),
    userId: seed.userId,
    orgId: seed.orgId,
    createdAt: Date.now(),
    expiresAt: Date.now() + days(1),
  });
  await options.prepare?.(everyStore(engine), seed, engine);
  await engine.close();
  const server = await spawnServer([sourceFile('../../src/main.ts'), 'serve'], {
    SLUICE_PORT: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_DATA_DIR: directory,
    SLUICE_SECRET_KEY: TEST_SECRET_KEY,
    ...(options.databaseUrl ? { SLUICE_DATABASE_URL: options.databaseUrl } : {}),
    ...options.settings,
  });
  const cookie = `sluice_session=${session}`;
  return {
    ...server,
    directory,
    seed,
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
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function spawnServer(args: string[], settings: Record<string, string>): Promise<Measured> {
  const process_ = Bun.spawn([process.execPath, ...args], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const port = await portOf(process_.stdout);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: process_.pid,
    async stop() {
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
