import type { StorageEngine } from '../../src/core/ports.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type Seed, type SeededSource, seedOrganisation, temporaryDirectory } from '../support/service.ts';

/** A data directory with an organisation, a key and a source in it, for the process that a test will torment. */
export interface Prepared {
  readonly directory: string;
  readonly seed: Seed;
  readonly source: SeededSource;
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
  await engine.close();
  return { directory, seed, source, reopen };
}
