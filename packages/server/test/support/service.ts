import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, startService } from '../../src/compose/service.ts';
import { type Clock, hours } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { createVault, hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import type { AuthMode } from '../../src/core/stores/configuration/sources.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { createPasswords } from '../../src/runtime/passwords.ts';
import { readSettings } from '../../src/settings.ts';
import { everyStore } from './every-store.ts';

export const TEST_SECRET_KEY = 'a secret key for tests, 32 characters or more';

/** A hash at the real cost takes 200 ms of CPU, and almost every test logs somebody in. */
const cheapPasswords = createPasswords({ memoryCost: 8, timeCost: 1 });

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), 'sluice-test-'));

/** What a test finds in the database before the service starts: an organisation, a key, and sources. */
export interface Seed {
  readonly orgId: string;
  readonly userId: string;
  readonly apiKey: string;
  source(
    auth: AuthMode,
    rate?: { perSecond: number; burst: number },
    enabled?: boolean,
  ): Promise<SeededSource>;
}

export interface SeededSource {
  readonly id: string;
  readonly token: string;
  readonly secret: string;
}

/** Writes straight to storage, so that tests of the ingest endpoints need no dashboard. */
export async function seedOrganisation(engine: StorageEngine): Promise<Seed> {
  const storage = everyStore(engine);
  const vault = createVault(TEST_SECRET_KEY);
  const now = Date.now();
  const orgId = newId('org');
  const userId = newId('usr');
  const apiKey = newSecret('sk');
  const org = { id: orgId, name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: now };
  const user = { id: userId, email: `${userId.toLowerCase()}@example.com`, passwordHash: '', createdAt: now };
  if (!(await storage.createFirstUser(user, org))) await storage.createOrganisation(org, userId);
  await storage.createApiKey({
    id: newId('key'),
    orgId,
    name: 'test',
    prefix: apiKey.slice(0, 8),
    hash: hashSecret(apiKey),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  });
  return {
    orgId,
    userId,
    apiKey,
    async source(auth, rate = { perSecond: 0, burst: 0 }, enabled = true) {
      const id = newId('src');
      const token = newSecret('whk').slice(4);
      const secret = newSecret('whsec');
      await storage.createSource({
        kind: 'webhook',
        id,
        orgId,
        name: `${auth} source`,
        enabled,
        tokenHash: hashSecret(token),
        sealedToken: vault.seal(token, { orgId, id, field: 'token' }),
        auth,
        sealedSecret: vault.seal(secret, { orgId, id, field: 'secret' }),
        previousSealedSecret: null,
        previousSecretUntil: null,
        ratePerSecond: rate.perSecond,
        rateBurst: rate.burst,
        provider: null,
        providerOptions: {},
        sealedVerifyToken: null,
        typeFrom: null,
        createdAt: now,
        updatedAt: now,
        lastEventAt: null,
      });
      return { id, token, secret };
    },
  };
}

export interface TestService {
  readonly url: string;
  readonly directory: string;
  readonly engine: StorageEngine;
  readonly service: RunningService;
  stop(): Promise<void>;
}

/** The whole service in this process, on a free port and a fresh directory (or the given database). */
export async function startTestService(
  options: {
    settings?: Record<string, string>;
    clock?: Clock;
    directory?: string;
    /** Absent: nobody looks for trouble, and no system event comes between those of a test. */
    alertsEveryMs?: number;
  } = {},
): Promise<TestService> {
  const directory = options.directory ?? temporaryDirectory();
  const settings = readSettings({
    SLUICE_PORT: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_DATA_DIR: directory,
    SLUICE_SECRET_KEY: TEST_SECRET_KEY,
    SLUICE_LOG_LEVEL: 'silent',
    ...options.settings,
  });
  const service = await startService(settings, {
    ...(options.clock ? { clock: options.clock } : {}),
    passwords: cheapPasswords,
    alertsEveryMs: options.alertsEveryMs ?? hours(24),
    onFatal: reason => {
      throw new Error(reason);
    },
  });
  return {
    url: `http://127.0.0.1:${service.port}`,
    directory,
    engine: service.engine,
    service,
    async stop() {
      await service.stop();
      if (!options.directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}
