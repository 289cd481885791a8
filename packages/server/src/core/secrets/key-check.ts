import type { UpkeepStore } from '../stores/upkeep.ts';
import { createVault, type SecretKeys } from './vault.ts';

/**
 * A value that only the right secret key yields, kept beside what it seals: a database that was restored without its
 * key, or a node with another one, is detected at the start instead of at the first secret that won't open. While the
 * key is being changed there is a value for each of both, separated by a blank: whoever seals has put down its own
 * before, and one is taken out only once nothing is left that its key has sealed.
 */
export const KEY_CHECK_SETTING = 'secret_key_check';

export const keyCheckValue = (secretKey: string): string =>
  createVault(secretKey).digest('secret key check', 'sluice');

export const keyCheckValues = ({ present, previous }: SecretKeys): string[] =>
  [present, ...(previous === null ? [] : [previous])].map(keyCheckValue);

/** How the keys at hand stand to those that have sealed something. */
export type KeyState = 'all sealed with the current key' | 'being changed' | 'one is missing' | 'other keys';

/** The first of ours is the value of the current key. */
export function compareKeys(kept: string, ours: readonly string[]): KeyState {
  const inUse = kept.split(' ');
  if (!inUse.some(value => ours.includes(value))) return 'other keys';
  if (!inUse.every(value => ours.includes(value))) return 'one is missing';
  return inUse.length === 1 && inUse[0] === ours[0] ? 'all sealed with the current key' : 'being changed';
}

/** Refuses keys that do not open everything, and puts the present one down as one that seals. */
export async function requireSameKey(upkeep: Settings, keys: SecretKeys): Promise<KeyState> {
  const present = keyCheckValue(keys.present);
  const kept = await upkeep.keepSetting(KEY_CHECK_SETTING, present);
  const state = requireAll(kept, keys);
  if (kept.split(' ').includes(present)) return state;
  // Another node may be doing the same at this moment.
  if (await upkeep.replaceSetting(KEY_CHECK_SETTING, kept, `${kept} ${present}`)) return state;
  return requireSameKey(upkeep, keys);
}

/** The same for whoever seals nothing: it writes nothing either. */
export async function lookAtKeys(
  upkeep: Pick<UpkeepStore, 'findSetting'>,
  keys: SecretKeys,
): Promise<KeyState> {
  const kept = await upkeep.findSetting(KEY_CHECK_SETTING);
  return requireAll(kept ?? keyCheckValue(keys.present), keys);
}

function requireAll(kept: string, keys: SecretKeys): KeyState {
  const state = compareKeys(kept, keyCheckValues(keys));
  if (state === 'other keys') {
    throw new Error(
      'The secret key is not the one that this database was sealed with. Put the right one back: SLUICE_SECRET_KEY, or secret.key in the data directory. To change the key, give the one before as SLUICE_SECRET_KEY_PREVIOUS.',
    );
  }
  if (state === 'one is missing') {
    throw new Error(
      'The secret key is being changed, and this process has only one of the two. Give the other one as SLUICE_SECRET_KEY_PREVIOUS until sluice reseal has said that nothing is left.',
    );
  }
  return state;
}

/** Nothing is left that any other key has sealed: from now on the present one is enough. */
export async function settleKeys(upkeep: Settings, keys: SecretKeys): Promise<void> {
  const present = keyCheckValue(keys.present);
  const kept = await upkeep.keepSetting(KEY_CHECK_SETTING, present);
  await upkeep.replaceSetting(KEY_CHECK_SETTING, kept, present);
}

type Settings = Pick<UpkeepStore, 'keepSetting' | 'replaceSetting'>;
