import type { TypeFrom } from '@sluice/contract/dashboard-providers';
import type { WebhookSource } from '../../core/stores/configuration/sources.ts';
import { customPreset } from '../providers/custom.ts';
import { findPreset } from '../providers/registry.ts';
import { type CompiledRules, compileRules, type TypeRule } from '../reading/body-rules.ts';
import type { PreparedProvider, Preset, ProviderKeys, ProviderPorts } from './preset.ts';

/** How the sender of one source is verified, ready to be asked for every request. */
export interface KnownProvider {
  readonly preset: Preset;
  readonly current: PreparedProvider;
  /** With the secret before as well, while that holds. */
  readonly rotating: PreparedProvider | null;
  /** The address that the provider signs; null: the source's own. */
  readonly url: string | null;
}

interface OpenedSecrets {
  readonly secret: string;
  readonly previous: string | null;
  readonly verifyToken: string | null;
}

/** Null where the source is verified by our own modes. */
export function knownProviderOf(
  source: WebhookSource,
  { secret, previous, verifyToken }: OpenedSecrets,
  ports: ProviderPorts,
): KnownProvider | null {
  const preset = presetOf(source);
  if (preset === null) return null;
  const { providerOptions: options } = source;
  const prepare = (secrets: readonly string[]) => {
    const keys: ProviderKeys = {
      secrets,
      publicKey: options.publicKey ?? null,
      verifyToken,
      verifyWith: options.verifyWith ?? 'bearer',
    };
    return preset.prepare(keys, ports);
  };
  return {
    preset,
    current: prepare([secret]),
    rotating: previous === null ? null : prepare([secret, previous]),
    url: options.scheme?.url ?? options.url ?? null,
  };
}

function presetOf({ auth, provider, providerOptions }: WebhookSource): Preset | null {
  if (auth === 'custom' && providerOptions.scheme !== undefined) return customPreset(providerOptions.scheme);
  return auth === 'provider' && provider !== null ? findPreset(provider) : null;
}

/** How its bodies become events; null where each is one, of the type that it names. */
export function bodyRulesOf({ typeFrom }: WebhookSource, preset: Preset | null): CompiledRules | null {
  if (typeFrom === null && preset?.body === undefined) return null;
  return compileRules({ ...preset?.body, ...(typeFrom === null ? {} : { typeFrom: toRule(typeFrom) }) });
}

/** A field called `then` would make a promise of what has it. */
const toRule = ({ then: andThen, ...rule }: TypeFrom): TypeRule => ({ ...rule, andThen });
