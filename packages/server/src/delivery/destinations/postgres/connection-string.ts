import { invalid } from '../../../core/errors.ts';
import { canonicalHost } from '../../guarded-client/address.ts';

/** Where a database is, and as whom to go there. Nothing else of a connection string is ever handed on. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Null where the string does not say: with TLS, unless the database is at an address of the operator's own. */
  readonly tls: boolean | null;
}

const PATH = 'config.connection_string';

/** Harmless, and found in the strings that hosts of databases give out. */
const IGNORED = new Set(['application_name', 'channel_binding', 'connect_timeout', 'pgbouncer']);
const MODES: Readonly<Record<string, boolean>> = {
  disable: false,
  require: true,
  'verify-ca': true,
  'verify-full': true,
};

/**
 * Reads a connection string strictly, with no library that would let a parameter override the host or name a file.
 * Throws a 400 that repeats nothing of the string, since it holds a password.
 */
export function readConnectionString(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    throw invalid(PATH, `${PATH} must read like postgres://user:password@host:5432/database.`);
  }
  const { host, port } = readHost(url);
  const user = decode(url.username);
  if (user === '') throw invalid(PATH, `${PATH} must name a user.`);
  const database = decode(url.pathname.slice(1)) || user;
  return { host, port, user, password: decode(url.password), database, tls: readTls(url.searchParams) };
}

function readHost(url: URL): { host: string; port: number } {
  const host = url.hostname.includes(',') ? null : canonicalHost(url.hostname);
  if (host === null)
    throw invalid(PATH, `${PATH} must name one host; sockets and lists of hosts are not possible.`);
  return { host, port: url.port === '' ? 5432 : Number(url.port) };
}

function readTls(parameters: URLSearchParams): boolean | null {
  for (const name of parameters.keys()) {
    if (name !== 'sslmode' && !IGNORED.has(name)) {
      throw invalid(PATH, `${PATH} may not set “${name}”. A certificate to trust goes into config.ca.`);
    }
  }
  const mode = parameters.get('sslmode');
  if (mode === null) return null;
  const tls = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (tls === undefined)
    throw invalid(PATH, `${PATH}: sslmode must be one of ${Object.keys(MODES).join(', ')}.`);
  return tls;
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // Falls through to the refusal.
  }
  throw invalid(PATH, `${PATH} holds a percent sign that is no valid escape.`);
}
