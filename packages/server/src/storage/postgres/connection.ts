import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';

/** Where a PostgreSQL is and how to sign in there: every field set, so that nothing is filled in from elsewhere. */
export type Connection = Pick<ClientConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'> & {
  readonly host: string;
  readonly port: number;
};

/** What a URL may say after its question mark. Anything else is a misspelling or does not do what it says. */
const knownParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/** What comes before the hosts, the hosts, and the rest. No part of a host has a comma, so that they need no quotes. */
const parts = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** One for each host that the URL names, in its order: `postgres://u:p@a,b:5433,c/db`. */
export function readConnections(url: string): Connection[] {
  const [, before = '', hosts = '', after = ''] = parts.exec(url) ?? [];
  return hosts.split(',').map(host => readConnection(before + host + after));
}

/**
 * The library lets `?host=`, `?port=`, `?user=` and `?password=` win over the address that people read in the
 * URL, and takes what is missing from `PG…` variables. Here the URL means what it says, or is refused.
 */
function readConnection(url: string): Connection {
  if (!URL.canParse(url)) throw new Error('SLUICE_DATABASE_URL must give each host as name or name:port.');
  const { searchParams } = new URL(url);
  for (const name of searchParams.keys()) {
    if (!knownParameters.includes(name) || searchParams.getAll(name).length > 1) {
      throw new Error(`SLUICE_DATABASE_URL must not have the parameter "${name}".`);
    }
  }
  const parsed = parse(url);
  for (const part of ['host', 'user', 'database'] as const) {
    if (!parsed[part]) throw new Error(`SLUICE_DATABASE_URL must name the ${part}.`);
  }
  const password = parsed.password ?? '';
  return {
    host: parsed.host ?? '',
    port: Number(parsed.port) || 5432,
    user: parsed.user,
    // A function, since an empty password would be looked for in PGPASSWORD and in ~/.pgpass.
    password: () => password,
    database: parsed.database ?? '',
    ssl: (parsed.ssl as ClientConfig['ssl']) ?? false,
  };
}

/** As the log and the terminal name it. */
export const hostAndPort = ({ host, port }: Connection): string => `${host}:${port}`;
