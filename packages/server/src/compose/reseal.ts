import { settleKeys } from '../core/secrets/key-check.ts';
import { type ResealReport, type ResealTexts, reseal } from '../core/secrets/reseal.ts';
import { createVault, type SecretKeys } from '../core/secrets/vault.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { resealConfig } from '../delivery/sealed-config.ts';
import { resealDefinition } from '../pipeline/definitions/reseal-definition.ts';

/** Seals every secret of the storage again with the present key; once none is left, the present key is enough. */
export async function resealStorage(
  { configuration, upkeep }: Pick<StorageEngine, 'configuration' | 'upkeep'>,
  keys: SecretKeys,
  work: { readonly checkOnly: boolean; pause(): Promise<unknown>; isStopping(): boolean },
): Promise<ResealReport> {
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
  if (report.left === 0 && report.complete && !work.checkOnly) await settleKeys(upkeep, keys);
  return report;
}

/** Where each text is sealed as a whole, under its own name. */
const resealEach: ResealTexts = ({ texts }, change) =>
  Object.fromEntries(Object.entries(texts).map(([field, sealed]) => [field, change(sealed, field)]));
