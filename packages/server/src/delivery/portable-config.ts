import { invalid, Problem } from '../core/errors.ts';
import { getPath, parsePath, setPath } from '../core/expressions/path.ts';
import { canonicalJson } from '../core/json/canonical.ts';
import type { Json, JsonObject } from '../core/json/json.ts';
import { keepSecrets, keptSecrets, maskSecrets, requireNoSecrets } from '../core/kinds/kind.ts';
import type { MissingField } from '../core/kinds/portable.ts';
import type { DestinationAddress } from '../core/stores/configuration/destinations.ts';
import type { DestinationKind } from './destination.ts';
import { requireSameServer } from './same-server.ts';

/** Configurations of destinations as a file has them: with `{"set": true}` where a secret belongs. */

const SET = { set: true };

/** Secrets masked, and without what the service writes itself. */
export const showPortableConfig = ({ kind, own }: KnownKind, config: JsonObject): JsonObject =>
  without(maskSecrets(kind, config), own);

/** A kind, and the fields that the service writes itself: finding those takes long. */
export interface KnownKind {
  readonly kind: DestinationKind;
  readonly own: readonly string[];
}

/** What the service has written for one destination is not for another. */
export const withoutOwnFields = ({ own }: KnownKind, config: JsonObject): JsonObject => without(config, own);

/** `before` is the stored one with its secrets open; null where there is none. */
export function readPortableConfig(
  known: KnownKind,
  given: JsonObject,
  before: JsonObject | null,
  owner: DestinationAddress,
) {
  const { kind, own } = known;
  requireNoSecrets(kind, given, 'config');
  for (const field of own) {
    if (getPath(given, parsePath(field)) !== undefined)
      throw invalid(
        `config.${field}`,
        `config.${field} is not part of a file: the service writes it itself.`,
      );
  }
  const whole = before === null ? given : completed(known, given, before, owner);
  const isElsewhere = before !== null && keptSecrets(kind, whole).length > 0 && !isSameServer(before, whole);
  // What the service wrote of another server does not go to this one.
  const config = isElsewhere ? without(whole, own) : whole;
  const marks = keptSecrets(kind, config).filter(secret => !own.includes(secret));
  return {
    config,
    shown: showPortableConfig(known, config),
    marks: keptSecrets(kind, given).map(inConfig),
    missing: missingOf(kind, config, isElsewhere ? null : before, marks, owner),
  };
}

/** With what is written by the service itself, and secrets that it would otherwise make again. */
function completed(
  { kind, own }: KnownKind,
  given: JsonObject,
  before: JsonObject,
  owner: DestinationAddress,
): JsonObject {
  const shown = maskSecrets(kind, before);
  const withOwn = own.reduce((config, field) => withField(config, field, shown), given);
  const isTaken = read(kind, withOwn, before) !== null;
  const kept = isTaken ? withOwn : given;
  const wouldMake = madeSecrets(kind, read(kind, kept, before), owner);
  const isThere = (secret: string) =>
    getPath(before, parsePath(secret)) !== undefined && isSameAround(secret, kind, kept, before);
  return wouldMake.filter(isThere).reduce((config, secret) => put(config, secret, SET), kept);
}

/** Whether what a secret belongs to is as before: the secret of another mode is another secret. */
function isSameAround(secret: string, kind: DestinationKind, given: JsonObject, before: JsonObject): boolean {
  const around = parsePath(secret).slice(0, -1);
  const [now, then] = [given, before].map(config => getPath(without(config, kind.secrets), around));
  return now !== undefined && then !== undefined && canonicalJson(now) === canonicalJson(then);
}

function missingOf(
  kind: DestinationKind,
  config: JsonObject,
  before: JsonObject | null,
  marks: readonly string[],
  owner: DestinationAddress,
): MissingField[] {
  const missing = marks.filter(
    secret =>
      before === null ||
      getPath(before, parsePath(secret)) === undefined ||
      modeAround(secret, before) !== modeAround(secret, config),
  );
  if (missing.length === 0) return [];
  const made = madeSecrets(kind, read(kind, without(config, missing), before), owner);
  return missing.map(secret => ({ path: inConfig(secret), canBeMade: made.includes(secret) }));
}

/** A key that signs is no token to be sent. */
const modeAround = (secret: string, config: JsonObject): Json | undefined =>
  getPath(config, [...parsePath(secret).slice(0, -1), 'mode']);

/** Which secrets the kind makes itself where they are left out. */
function madeSecrets(kind: DestinationKind, config: JsonObject | null, owner: DestinationAddress): string[] {
  const made = config && kind.generateSecret?.(config, owner);
  if (!made) return [];
  const isNew = (secret: string) =>
    getPath(config, parsePath(secret)) === undefined &&
    getPath(made.config as JsonObject, parsePath(secret)) !== undefined;
  return kind.secrets.filter(isNew);
}

/** Null where the kind does not take it. */
function read(kind: DestinationKind, config: JsonObject, before: JsonObject | null): JsonObject | null {
  try {
    const parsed = kind.config.safeParse(keepSecrets(kind, config, before, 'config'));
    return parsed.success ? (parsed.data as JsonObject) : null;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function isSameServer(before: JsonObject, given: JsonObject): boolean {
  try {
    requireSameServer(before, given);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

const inConfig = (secret: string): string => `config.${secret}`;

function withField(config: JsonObject, field: string, from: JsonObject): JsonObject {
  const value = getPath(from, parsePath(field));
  const parent = getPath(config, parsePath(field).slice(0, -1));
  return value === undefined || typeof parent !== 'object' ? config : put(config, field, value);
}

function put(config: JsonObject, field: string, value: Json): JsonObject {
  const set = setPath(config, parsePath(field), value);
  return set.kind === 'set' ? set.root : config;
}

const without = (config: JsonObject, fields: readonly string[]): JsonObject =>
  fields.reduce((left, field) => withoutField(left, parsePath(field)), config);

function withoutField(value: JsonObject, [key, ...rest]: readonly (string | number)[]): JsonObject {
  if (typeof key !== 'string' || !Object.hasOwn(value, key)) return value;
  const { [key]: inner, ...others } = value;
  if (rest.length === 0) return others;
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return value;
  return { ...value, [key]: withoutField(inner, rest) };
}
