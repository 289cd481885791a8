import { type JsonObject, parseJson, stringifyJson } from '../core/json/json.ts';
import { type ChangeText, openSecrets, resealSecrets, sealSecrets } from '../core/kinds/kind.ts';
import type { Vault } from '../core/secrets/vault.ts';
import type { StoredDestination } from '../core/stores/configuration/destinations.ts';
import type { DestinationKind } from './destination.ts';
import { findDestinationKind } from './destinations/registry.ts';

/** The configuration of a destination as it is stored: JSON text, its secrets sealed. */

type Owner = Pick<StoredDestination, 'orgId' | 'id'>;

export const sealConfig = (
  vault: Pick<Vault, 'seal'>,
  kind: DestinationKind,
  config: JsonObject,
  { orgId, id }: Owner,
): string =>
  stringifyJson(
    sealSecrets(kind, config, (secret, path) => vault.seal(secret, { orgId, id, field: fieldOf(path) })),
  );

export const openConfig = (
  vault: Pick<Vault, 'open'>,
  kind: DestinationKind,
  { config, orgId, id }: Pick<StoredDestination, 'config' | 'orgId' | 'id'>,
): JsonObject =>
  openSecrets(kind, parseJson(config) as JsonObject, (sealed, path) =>
    vault.open(sealed, { orgId, id, field: fieldOf(path) }),
  );

/** With its sealed secrets replaced; where the kind is gone, nobody knows them, and it stays as it is. */
export function resealConfig(kindName: string, config: string, reseal: ChangeText): string {
  const kind = findDestinationKind(kindName);
  if (kind === undefined) return config;
  return stringifyJson(
    resealSecrets(kind, parseJson(config) as JsonObject, (sealed, path) => reseal(sealed, fieldOf(path))),
  );
}

/** A secret's path as seen from the whole destination. */
const fieldOf = (path: string): string => `config.${path}`;
