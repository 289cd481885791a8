import { days } from '../../src/core/clock.ts';
import type { StorageEngine } from '../../src/core/ports.ts';
import { hashSecret, newSecret } from '../../src/core/vault.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type Seed, type SeededSource, seedOrganisation, temporaryDirectory } from '../support/service.ts';

/** A data directory with an organisation, a key and a source in it, for the process that a test will torment. */
export interface Prepared {
  readonly directory: string;
  readonly seed: Seed;
  readonly source: SeededSource;
  /** The cookie of somebody who is logged in at the dashboard. */
  readonly cookie: string;
  /** The embedded database, once the process is gone. */
  reopen(): Promise<StorageEngine>;
}

export async function prepareDirectory(): Promise<Prepared> {
  const directory = temporaryDirectory();
  const reopen = () =>
    openStorage({
      directory,
      databaseUrl: undefined,
      onFatal: reason => {
        throw new Error(reason);
      },
    });
  const engine = await reopen();
  const seed = await seedOrganisation(engine);
  const source = await seed.source('hmac');
  const token = newSecret('ses');
  const now = Date.now();
  await engine.storage.createSession({
    tokenHash: hashSecret(token),
    userId: seed.userId,
    orgId: seed.orgId,
    createdAt: now,
    expiresAt: now + days(1),
  });
  await engine.close();
  return { directory, seed, source, cookie: `sluice_session=${token}`, reopen };
}
