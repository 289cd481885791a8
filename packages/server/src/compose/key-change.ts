import type { Foundation } from './foundation.ts';
import { resealStorage } from './reseal.ts';
import type { StoragePart } from './storage.ts';

const MAY_BE_REMOVED =
  'All secrets are sealed with the current secret key: the previous one may be removed (SLUICE_SECRET_KEY_PREVIOUS, or secret.key.previous in the data directory).';
/** Before a change this is the key to come, and after it the key of before: a node cannot tell which. */
const NOT_IN_USE =
  'A second secret key is set (SLUICE_SECRET_KEY_PREVIOUS, or secret.key.previous in the data directory) but seals nothing: keep it if you are starting a key change, remove it if the change is finished.';

/**
 * What a node does while it has a previous secret key. Where it has the storage to itself, it seals everything again
 * with the present one, since no command can do that beside it. Where nodes share the storage, some may still seal with
 * the key that others are leaving behind: when all of them have the new one, somebody runs `sluice reseal`.
 */
export function createKeyChange(
  { secretKeys, logger }: Pick<Foundation, 'secretKeys' | 'logger'>,
  { engine, keyState }: Pick<StoragePart, 'engine' | 'keyState'>,
  slices: { pause(): Promise<unknown>; isStopping(): boolean },
): () => Promise<void> {
  let isDone = secretKeys.previous === null;
  return async () => {
    if (isDone) return;
    if (engine.capabilities.isShared) {
      isDone = true;
      logger.info(
        keyState === 'being changed'
          ? 'The secret key is being changed: once every node has the new one, run sluice reseal.'
          : NOT_IN_USE,
      );
      return;
    }
    const { resealed, unreadable, settled } = await resealStorage(engine, secretKeys, {
      ...slices,
      checkOnly: false,
    });
    isDone = settled;
    for (const place of unreadable) logger.warn(`No secret key at hand opens ${place}.`);
    if (isDone) logger.info({ resealed }, MAY_BE_REMOVED);
  };
}
