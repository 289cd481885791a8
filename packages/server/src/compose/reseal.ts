import { lookAtKeys, settleKeys } from '../core/secrets/key-check.ts';
import { type ResealTexts, reseal, type StorageResealReport } from '../core/secrets/reseal.ts';
import { createVault, type SecretKeys } from '../core/secrets/vault.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { resealConfig } from '../delivery/sealed-config.ts';
import { resealDefinition } from '../pipeline/definitions/reseal-definition.ts';

/** Seals every secret of the storage again with the current key; once none is left, the current key is enough. */
export async function resealStorage(
  { configuration, upkeep }: Pick<StorageEngine, 'configuration' | 'upkeep'>,
  keys: SecretKeys,
  work: { readonly checkOnly: boolean; pause(): Promise<unknown>; isStopping(): boolean },
): Promise<StorageResealReport> {
  const report = await reseal({
    configuration,
    vault: createVault(keys.present, keys.previous),
    texts: {
      source: resealEach,
      second_factor: resealEach,
      destination: ({ kind, texts: { config = '{}' } }, change) => ({
        config: resealConfig(kind, config, change),
      }),
      pipeline: ({ texts: { definition = '{}' } }, change) => ({
        definition: resealDefinition(definition, change),
      }),
    },
    ...work,
  });
  const isDone = report.left === 0 && report.complete;
  if (isDone && !work.checkOnly) await settleKeys(upkeep, keys);
  // Asked of the storage: a node that has another key may have put it down at the same moment.
  const settled = isDone && (await lookAtKeys(upkeep, keys)) === 'all sealed with the current key';
  return { ...report, settled };
}

/** Where each text is sealed as a whole, under its own name. */
const resealEach: ResealTexts = ({ texts }, change) =>
  Object.fromEntries(Object.entries(texts).map(([field, sealed]) => [field, change(sealed, field)]));
