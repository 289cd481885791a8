import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * Every setting once: its name, default, meaning, and whether it is secret. This is the only reader of the
 * environment; `docs/reference/settings.md` is generated from it.
 */
interface Setting<T> {
  readonly meaning: string;
  readonly default: T;
  readonly secret?: true;
  /** Throws an Error whose message ends the sentence "SLUICE_PORT …". */
  readonly parse: (text: string) => T;
}

const setting = <T>(meaning: string, fallback: T, parse: (text: string) => T, secret?: true): Setting<T> => ({
  meaning,
  default: fallback,
  parse,
  ...(secret ? { secret } : {}),
});

export const declarations = {
  SLUICE_PORT: setting('The port to serve on; 0 takes any free one.', 8080, integer(0, 65_535)),
  SLUICE_HOST: setting('The address to listen on.', '0.0.0.0', text),
  SLUICE_DATA_DIR: setting('Where the embedded database and the secret key live.', './data', text),
  SLUICE_DATABASE_URL: setting<string | undefined>(
    'A `postgres://` URL: PostgreSQL in place of the embedded database, for many nodes. It may name several hosts, `postgres://user:password@a,b:5433,c/name`: the one that is writable is used.',
    undefined,
    postgresUrl,
    true,
  ),
  SLUICE_REQUIRE_REPLICAS: setting(
    'How many standbys must have an event before it is acknowledged: unless `synchronous_standby_names` of PostgreSQL waits for as many, nothing is served.',
    0,
    integer(0, 100),
  ),
  SLUICE_SECRET_KEY: setting<string | undefined>(
    'Seals secrets at rest; at least 32 characters. Default: generated once and kept in the data directory. Required with PostgreSQL.',
    undefined,
    secretKey,
    true,
  ),
  SLUICE_SECRET_KEY_PREVIOUS: setting<string | undefined>(
    'The previous secret key, during a key change: opens what was sealed with it.',
    undefined,
    secretKey,
    true,
  ),
  SLUICE_BASE_URL: setting<string | undefined>(
    'How senders reach this service, for the URLs it shows. Default: the address of the request.',
    undefined,
    httpUrl,
  ),
  SLUICE_DRAIN_SECONDS: setting(
    'How long to keep serving after a stop was requested, while `/readyz` answers 503: as long as a load balancer takes to notice that and to send requests elsewhere.',
    0,
    integer(0, 3_600),
  ),
  SLUICE_TRUST_PROXY: setting('Believe `X-Forwarded-For` and `X-Forwarded-Proto`.', false, flag),
  SLUICE_ROLES: setting(
    'What this process does.',
    ['ingest', 'process', 'deliver', 'dashboard'],
    listOf(['ingest', 'process', 'deliver', 'dashboard']),
  ),
  SLUICE_ADMIN_EMAIL: setting<string | undefined>(
    'With the password below: creates the first user at start.',
    undefined,
    email,
  ),
  SLUICE_ADMIN_PASSWORD: setting<string | undefined>(
    'The first user’s password, at least 8 characters.',
    undefined,
    password,
    true,
  ),
  SLUICE_ALLOW_ADDRESSES: setting<readonly string[]>(
    'Private networks that may be connected to, as CIDRs.',
    [],
    cidrs,
  ),
  SLUICE_ALLOW_HTTP: setting('Allow webhook destinations without TLS.', false, flag),
  SLUICE_DROP_HEADERS: setting<readonly string[]>(
    'Headers of webhook requests that are not kept with the event, besides credentials and signatures; `x-internal-*` matches every name with that prefix.',
    [],
    headerNames,
  ),
  SLUICE_EGRESS_ADDRESSES: setting<readonly string[]>(
    'The addresses that outgoing connections come from, to show.',
    [],
    words,
  ),
  SLUICE_SENDING_THREADS: setting<number | undefined>(
    'How many threads send to destinations; 0 sends from the main one. Default: chosen by the number of cores; none with one or two.',
    undefined,
    integer(0, 16),
  ),
  SLUICE_RETENTION_DAYS: setting('How long events are kept.', 30, integer(1, 36_500)),
  SLUICE_DEAD_LETTER_DAYS: setting('How long dead letters are kept.', 90, integer(1, 36_500)),
  SLUICE_MAX_BODY_BYTES: setting(
    'The largest request body, after decompression.',
    5 * 1024 * 1024,
    integer(1_024, 1 << 30),
  ),
  SLUICE_MAX_EVENT_BYTES: setting('The largest single event.', 1024 * 1024, integer(1_024, 1 << 30)),
  SLUICE_MAX_BATCH_EVENTS: setting('The most events in one request.', 1_000, integer(1, 100_000)),
  SLUICE_MAX_NESTING: setting('How deep a payload may be nested.', 64, integer(1, 1_000)),
  SLUICE_MAX_TYPE_LENGTH: setting('The longest event type, in characters.', 256, integer(1, 4_096)),
  SLUICE_MAX_ICON_LENGTH: setting('The longest icon, in characters.', 64, integer(1, 4_096)),
  // An index of PostgreSQL holds no text much longer than this.
  SLUICE_MAX_IDEMPOTENCY_KEY_LENGTH: setting('The longest idempotency key.', 255, integer(1, 2_000)),
  SLUICE_MAX_ORGANISATIONS_PER_USER: setting(
    'How many organisations one user may own; creating another one is refused then.',
    10,
    integer(1, 100_000),
  ),
  SLUICE_URL: setting<string | undefined>(
    'For `sluice send`, `tail` and `listen`: the address of the service.',
    undefined,
    httpUrl,
  ),
  SLUICE_API_KEY: setting<string | undefined>(
    'For `sluice send`: the API key to send with.',
    undefined,
    beginningWith('sk_', 'an API key'),
    true,
  ),
  SLUICE_LISTEN_TOKEN: setting<string | undefined>(
    'For `sluice listen`: the token of the destination.',
    undefined,
    beginningWith('lsn_', 'the token of a listener'),
    true,
  ),
  SLUICE_EMAIL: setting<string | undefined>(
    'For `sluice tail` from another machine: who logs in.',
    undefined,
    email,
  ),
  SLUICE_PASSWORD: setting<string | undefined>(
    'For `sluice tail` from another machine: their password. Default: asked for at the prompt.',
    undefined,
    password,
    true,
  ),
  SLUICE_LOG_LEVEL: setting(
    '`debug`, `info`, `warn`, `error` or `silent`.',
    'info',
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
  ),
} satisfies Record<string, Setting<unknown>>;

type Declarations = typeof declarations;
export type SettingName = keyof Declarations;
export type Settings = { readonly [Name in SettingName]: ReturnType<Declarations[Name]['parse']> };

/** A setting that cannot be used. Its message is one line that names the setting. */
export class BadSetting extends Error {}

export function readSettings(given: Record<string, string | undefined> = process.env): Settings {
  const environment = withoutServiceLinks(given);
  const unknown = Object.keys(environment).find(
    name => name.startsWith('SLUICE_') && !name.startsWith('SLUICE_TEST_') && !(name in declarations),
  );
  if (unknown) throw new BadSetting(`${unknown} is not a setting of Sluice. Is it misspelt?`);
  const settings = Object.fromEntries(
    Object.entries(declarations).map(([name, { default: fallback, parse }]) => {
      const given = environment[name];
      if (given === undefined || given === '') return [name, fallback];
      try {
        return [name, (parse as (text: string) => unknown)(given)];
      } catch (error) {
        throw new BadSetting(`${name} ${(error as Error).message}`);
      }
    }),
  ) as unknown as Settings;
  requireTogether(settings);
  return settings;
}

/** What can be used as it is, and yet is most likely not what was meant. */
export function adviceOn(settings: Settings): string[] {
  const { SLUICE_BASE_URL: baseUrl, SLUICE_TRUST_PROXY: trustsProxy } = settings;
  if (!baseUrl?.startsWith('https:') || trustsProxy) return [];
  return [
    'SLUICE_BASE_URL begins with https, so a proxy is in front, but SLUICE_TRUST_PROXY is off: everyone behind it counts as one address, and one person’s failed logins lock everyone out. Have the proxy set X-Forwarded-For, and set SLUICE_TRUST_PROXY=true.',
  ];
}

/** Where the keys that seal secrets come from. */
export const keySourceOf = (settings: Settings) => ({
  directory: settings.SLUICE_DATA_DIR,
  present: settings.SLUICE_SECRET_KEY,
  previous: settings.SLUICE_SECRET_KEY_PREVIOUS,
});

/**
 * Kubernetes tells every container of the services around it in variables named after them. One that is called
 * `sluice`, as its chart would call it, makes some that read like ours.
 */
const withoutServiceLinks = (environment: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(environment).filter(([name, value = '']) =>
      name === 'SLUICE_PORT'
        ? !/^(?:tcp|udp|sctp):\/\//.test(value)
        : !/^SLUICE_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/.test(
            name,
          ),
    ),
  );

function requireTogether(settings: Settings): void {
  if (settings.SLUICE_DATABASE_URL && !settings.SLUICE_SECRET_KEY) {
    throw new BadSetting(
      'SLUICE_SECRET_KEY is required with SLUICE_DATABASE_URL, since all nodes must share it.',
    );
  }
  if (settings.SLUICE_REQUIRE_REPLICAS > 0 && !settings.SLUICE_DATABASE_URL) {
    throw new BadSetting('SLUICE_REQUIRE_REPLICAS is of use only with SLUICE_DATABASE_URL.');
  }
  if (
    settings.SLUICE_SECRET_KEY_PREVIOUS !== undefined &&
    settings.SLUICE_SECRET_KEY_PREVIOUS === settings.SLUICE_SECRET_KEY
  ) {
    throw new BadSetting('SLUICE_SECRET_KEY_PREVIOUS must be another key than SLUICE_SECRET_KEY.');
  }
  if (!settings.SLUICE_ADMIN_EMAIL !== !settings.SLUICE_ADMIN_PASSWORD) {
    throw new BadSetting('SLUICE_ADMIN_EMAIL and SLUICE_ADMIN_PASSWORD must be given together.');
  }
}

function text(value: string): string {
  return value;
}

function words(value: string): string[] {
  return value
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '');
}

function headerNames(value: string): string[] {
  const list = words(value);
  for (const name of list) {
    if (!/^[!#$%&'+.^_`|~0-9A-Za-z-]+\*?$/.test(name))
      throw new Error(`must be a comma-separated list of header names; "${name}" is none.`);
  }
  return list;
}

function integer(least: number, most: number) {
  return (value: string): number => {
    const n = Number(value);
    if (!Number.isInteger(n) || n < least || n > most || value.trim() === '') {
      throw new Error(`must be a whole number from ${least} to ${most}.`);
    }
    return n;
  };
}

function flag(value: string): boolean {
  if (/^(1|true|on|yes)$/i.test(value)) return true;
  if (/^(0|false|off|no)$/i.test(value)) return false;
  throw new Error('must be true or false.');
}

function oneOf(allowed: readonly string[]) {
  return (value: string): string => {
    if (!allowed.includes(value)) throw new Error(`must be one of ${allowed.join(', ')}.`);
    return value;
  };
}

function listOf(allowed: readonly string[]) {
  return (value: string): string[] => {
    const list = words(value);
    if (list.length === 0 || !list.every(word => allowed.includes(word))) {
      throw new Error(`must be a comma-separated list out of ${allowed.join(', ')}.`);
    }
    return list;
  };
}

function cidrs(value: string): string[] {
  const list = words(value);
  for (const cidr of list) {
    const [address = '', bits] = cidr.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    if (!isIP(address) || (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= most))) {
      throw new Error(`must be a comma-separated list of networks such as 10.0.0.0/8; "${cidr}" is none.`);
    }
  }
  return list;
}

function httpUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new Error('must be an http:// or https:// URL.');
  }
  return value.replace(/\/+$/, '');
}

function postgresUrl(value: string): string {
  // Of several hosts the last is looked at here; storage reads all of them.
  const withOneHost = value.replace(/^([^/]*\/\/(?:[^/?#]*@)?)[^/?#]*,/, '$1');
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(withOneHost))
    throw new Error('must be a postgres:// URL.');
  return value;
}

function secretKey(value: string): string {
  if (value.length < 32) throw new Error('must have at least 32 characters.');
  return value;
}

function beginningWith(prefix: string, what: string) {
  return (value: string): string => {
    if (!value.startsWith(prefix)) throw new Error(`must be ${what}, which begins with ${prefix}.`);
    return value;
  };
}

function email(value: string): string {
  if (!z.email().safeParse(value).success) throw new Error('must be an email address.');
  return value.toLowerCase();
}

function password(value: string): string {
  if (value.length < 8) throw new Error('must have at least 8 characters.');
  return value;
}
