import { type KeyState, requireSameKey } from '../core/secrets/key-check.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { openStorage } from '../storage/open.ts';
import { createLiveFeed, type LiveFeed } from '../telemetry/live-feed.ts';
import { withLiveNotifications } from '../telemetry/live-notifications.ts';
import type { Foundation } from './foundation.ts';
import type { Part } from './part.ts';

export interface StoragePart extends Pick<Part, 'stop'> {
  readonly engine: StorageEngine;
  /** The pages that follow what happens, which the stores notify of their work. */
  readonly live: LiveFeed;
  /** How the secret keys of this process stood, at its start, to those that have sealed something. */
  readonly keyState: KeyState;
}

/** Storage, opened and checked; it is the one part that is open before the others are built. */
export async function openStoragePart(
  { settings, secretKeys, logger }: Foundation,
  onFatal: (reason: string) => void,
): Promise<StoragePart> {
  const engine = await openStorage({
    directory: settings.SLUICE_DATA_DIR,
    databaseUrl: settings.SLUICE_DATABASE_URL,
    replicas: settings.SLUICE_REQUIRE_REPLICAS,
    onFatal(reason) {
      logger.fatal(reason);
      onFatal(reason);
    },
  });
  const ready = async () => {
    await engine.accounts.giveSlugs();
    return requireSameKey(engine.upkeep, secretKeys);
  };
  const keyState = await ready().catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const live = createLiveFeed();
  return {
    engine: withLiveNotifications(engine, live.note),
    live,
    keyState,
    stop: engine.close,
  };
}
