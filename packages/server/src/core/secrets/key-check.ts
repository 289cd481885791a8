import type { UpkeepStore } from '../stores/upkeep.ts';
import type { Vault } from './vault.ts';

/**
 * A value that only the right secret key yields, kept beside what it seals: a database that was restored without
 * its key, or a node with another one, is detected at the start instead of at the first secret that won't open.
 */
export const KEY_CHECK_SETTING = 'secret_key_check';

export const keyCheckValue = (vault: Vault): string => vault.digest('secret key check', 'sluice');

export async function requireSameKey(upkeep: Pick<UpkeepStore, 'keepSetting'>, vault: Vault): Promise<void> {
  const value = keyCheckValue(vault);
  if ((await upkeep.keepSetting(KEY_CHECK_SETTING, value)) === value) return;
  throw new Error(
    'The secret key is not the one that this database was sealed with. Put the right one back: SLUICE_SECRET_KEY, or secret.key in the data directory.',
  );
}
