import { z } from 'zod';
import { invalid } from '../errors.ts';
import { getPath, parsePath, setPath } from '../expressions/path.ts';
import { validate } from '../http/validate.ts';
import { type Json, type JsonObject, joinPath } from '../json/json.ts';

/**
 * An extension that describes itself. A step or a destination says here what it is called, what it does, how it
 * is configured, which of its fields are secrets, and shows examples; validation, the dashboard's form, the
 * reference page and the masking of secrets all follow from it.
 */
export interface Kind<C extends z.ZodType = z.ZodType> {
  /** The word in a definition: `filter.match`, `webhook`. */
  readonly name: string;
  readonly title: string;
  /** What it does, in a few sentences of Markdown. */
  readonly docs: string;
  readonly config: C;
  /** Paths into the configuration: `model.api_key`. */
  readonly secrets: readonly string[];
  readonly examples: readonly KindExample<C>[];
}

interface KindExample<C extends z.ZodType> {
  readonly title: string;
  readonly config: z.input<C>;
}

export const defineKind = <C extends z.ZodType, Rest extends object>(
  kind: Omit<Kind<C>, 'secrets'> & Partial<Pick<Kind<C>, 'secrets'>> & Rest,
): Kind<C> & Rest => ({ secrets: [], ...kind });

/** What a form, or a reference page, needs to know. */
export interface KindDescription {
  readonly kind: string;
  readonly title: string;
  readonly docs: string;
  /** JSON Schema; secrets are marked `writeOnly`. */
  readonly schema: JsonObject;
  readonly secrets: readonly string[];
  readonly examples: readonly { readonly title: string; readonly config: unknown }[];
}

export function describeKind(kind: Kind): KindDescription {
  const schema = z.toJSONSchema(kind.config, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  for (const secret of kind.secrets) markSecret(schema, parsePath(secret));
  const { name, title, docs, secrets, examples } = kind;
  return { kind: name, title, docs, schema, secrets, examples };
}

function markSecret(schema: Json | undefined, path: readonly (string | number)[]): void {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  const [field, ...rest] = path;
  if (field === undefined) {
    schema.writeOnly = true;
    schema.format = 'password';
    return;
  }
  markSecret(getPath(schema, ['properties', field]), rest);
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf])
    if (Array.isArray(choices)) for (const choice of choices) markSecret(choice, path);
}

/** The paths of what the service writes itself, such as the secret before the present one: a form only hands it on. */
export const ownFields = (kind: Kind): string[] =>
  ownFieldsOf(z.toJSONSchema(kind.config, { io: 'input', unrepresentable: 'any' }) as JsonObject, '');

function ownFieldsOf(schema: Json | undefined, path: string): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  if (schema.readOnly === true) return [path];
  const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = Object.entries(properties as JsonObject).flatMap(([name, field]) =>
    ownFieldsOf(field, joinPath(path, name)),
  );
  const choices = [anyOf, oneOf, allOf].flatMap(list => (Array.isArray(list) ? list : []));
  return [...new Set([...inner, ...choices.flatMap(choice => ownFieldsOf(choice, path))])];
}

/** The configuration as its kind reads it, defaults filled in; or a 400 that names the field. */
export const readConfig = <C extends z.ZodType>(kind: Kind<C>, config: unknown, path: string): z.output<C> =>
  validate(kind.config, config, path);

// --- Secrets ---------------------------------------------------------------------------------------------
// A secret is a text while it is used, `{"sealed": …}` at rest, and `{"set": true}` to whoever looks. Sending
// that back keeps what is there.

const SET = { set: true } as const;

/** Changes the text of a secret, given its path in the configuration: `model.api_key`. */
export type ChangeText = (text: string, path: string) => string;

const isMarker = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && value.set === true;

const sealedText = (value: Json): string | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.sealed === 'string'
    ? value.sealed
    : null;

export const maskSecrets = (kind: Kind, config: JsonObject): JsonObject =>
  eachSecret(kind, config, () => SET);

export const sealSecrets = (kind: Kind, config: JsonObject, seal: ChangeText): JsonObject =>
  eachSecret(kind, config, (value, path) =>
    typeof value === 'string' ? { sealed: seal(value, path) } : value,
  );

export const openSecrets = (kind: Kind, config: JsonObject, open: ChangeText): JsonObject =>
  eachSecret(kind, config, (value, path) => {
    const sealed = sealedText(value);
    return sealed === null ? value : open(sealed, path);
  });

/** Puts other sealed texts in the place of those that are there, which stay sealed. */
export const resealSecrets = (kind: Kind, config: JsonObject, reseal: ChangeText): JsonObject =>
  eachSecret(kind, config, (value, path) => {
    const sealed = sealedText(value);
    return sealed === null ? value : { sealed: reseal(sealed, path) };
  });

/** Puts the stored secrets where the given configuration says to keep them; `stored` in the same form. */
export function keepSecrets(
  kind: Kind,
  given: JsonObject,
  stored: JsonObject | null,
  path: string,
): JsonObject {
  return eachSecret(kind, given, (value, secret) => {
    if (!isMarker(value)) return value;
    const kept = stored === null ? undefined : getPath(stored, parsePath(secret));
    if (kept !== undefined && kept !== null) return kept;
    const field = parsePath(secret).reduce<string>(joinPath, path);
    throw invalid(field, `${field} has no stored secret to keep.`);
  });
}

export const keepsSecrets = (kind: Kind, given: JsonObject): boolean => keptSecrets(kind, given).length > 0;

/** The paths of those that the given configuration says to keep. */
export const keptSecrets = (kind: Kind, given: JsonObject): string[] =>
  kind.secrets.filter(secret => isMarker(getPath(given, parsePath(secret))));

/** For a configuration that came out of a file: a secret does not belong there. */
export function requireNoSecrets(kind: Kind, given: JsonObject, path: string): void {
  for (const secret of kind.secrets) {
    if (typeof getPath(given, parsePath(secret)) !== 'string') continue;
    const field = parsePath(secret).reduce<string>(joinPath, path);
    throw invalid(field, `${field}: a secret does not belong in a file. Write !secret, and enter it here.`);
  }
}

function eachSecret(
  kind: Kind,
  config: JsonObject,
  change: (value: Json, secret: string) => Json,
): JsonObject {
  let changed = config;
  for (const secret of kind.secrets) {
    const path = parsePath(secret);
    const value = getPath(changed, path);
    if (value === undefined || value === null) continue;
    const set = setPath(changed, path, change(value, secret));
    if (set.kind === 'set') changed = set.root;
  }
  return changed;
}
