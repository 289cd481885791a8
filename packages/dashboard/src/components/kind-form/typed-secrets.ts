import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { Config } from './schema.ts';

/**
 * The configuration without the secrets that somebody has typed. Where one was set before, that is what it says again:
 * a field that is absent would remove it.
 */
export const withoutTyped = (
  config: Config,
  { secrets }: Pick<KindRecord, 'secrets'>,
  before: Config = {},
): Config => secrets.reduce<Config>((left, path) => withoutAt(left, path.split('.'), before), config);

function withoutAt(config: Config, [name = '', ...rest]: readonly string[], before: unknown): Config {
  const value = config[name];
  if (value === undefined) return config;
  const was = isConfig(before) ? before[name] : undefined;
  if (rest.length > 0 && isConfig(value)) return { ...config, [name]: withoutAt(value, rest, was) };
  if (typeof value !== 'string') return config;
  if (isConfig(was)) return { ...config, [name]: was };
  const { [name]: _, ...others } = config;
  return others;
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
