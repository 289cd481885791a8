import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { Config } from './schema.ts';

/** The configuration without the secrets that somebody has typed; that one is set already may be told. */
export const withoutTyped = (config: Config, { secrets }: Pick<KindRecord, 'secrets'>): Config =>
  secrets.reduce<Config>((left, path) => withoutAt(left, path.split('.')), config);

function withoutAt(config: Config, [name = '', ...rest]: readonly string[]): Config {
  const value = config[name];
  if (value === undefined) return config;
  if (rest.length > 0 && isConfig(value)) return { ...config, [name]: withoutAt(value, rest) };
  if (typeof value !== 'string') return config;
  const { [name]: _, ...others } = config;
  return others;
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
