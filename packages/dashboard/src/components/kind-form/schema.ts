import type { ConfigSchema } from '@sluice/contract/dashboard-kinds';
import { capitalised } from '../../lib/format.ts';

/** Configurations of kinds, and how their JSON Schemas become the fields of a form. */
export type Config = Readonly<Record<string, unknown>>;

/** How one field is asked for. */
type FieldKind =
  | 'secret'
  | 'condition'
  | 'expression'
  | 'text'
  | 'long text'
  | 'number'
  | 'flag'
  | 'choice'
  | 'choices'
  | 'numbers'
  | 'texts'
  | 'pairs'
  | 'variants'
  | 'group'
  | 'json';

/** Texts past this length are written on several lines. */
const LONG_TEXT = 5_000;

export function fieldKindOf(schema: ConfigSchema): FieldKind {
  if (schema.writeOnly) return 'secret';
  if (variantsOf(schema).length > 0) return 'variants';
  if (schema.enum) return 'choice';
  if (schema.type === 'boolean') return 'flag';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string') return textKindOf(schema);
  if (schema.type === 'array' && schema.items) return listKindOf(schema.items);
  if (schema.type === 'object') return objectKindOf(schema);
  // A number or a text, as the id of a chat: what looks like a number is one.
  if (schema.anyOf?.every(({ type }) => type === 'string' || type === 'integer')) return 'text';
  return 'json';
}

function textKindOf({ format, maxLength = 0 }: ConfigSchema): FieldKind {
  if (format === 'cel') return 'condition';
  if (format === 'cel-value') return 'expression';
  return maxLength >= LONG_TEXT ? 'long text' : 'text';
}

function listKindOf(items: ConfigSchema): FieldKind {
  if (items.enum) return 'choices';
  if (items.type === 'string') return 'texts';
  return items.type === 'number' || items.type === 'integer' ? 'numbers' : 'json';
}

function objectKindOf({ properties, additionalProperties }: ConfigSchema): FieldKind {
  if (properties) return 'group';
  if (typeof additionalProperties === 'object') return 'pairs';
  return 'json';
}

/** The shapes a configuration may have, when it may have several. */
export const variantsOf = ({ oneOf, anyOf }: ConfigSchema): readonly ConfigSchema[] =>
  (oneOf ?? anyOf ?? []).filter(({ type }) => type === 'object');

/** What a shape is called: its title, or the word that tells it from the others. */
export function variantName(variant: ConfigSchema): string {
  const constant = Object.values(variant.properties ?? {}).find(property => property.const !== undefined);
  return variant.title ?? String(constant?.const ?? 'other');
}

/**
 * Which of the shapes a value has: the one whose constants it says, or one that knows all of its fields. Where
 * several do, as in the beginning, it is the one that was picked.
 */
export function variantOf(variants: readonly ConfigSchema[], value: Config, picked = 0): number {
  const says = variants.findIndex(({ properties = {} }) =>
    Object.entries(properties).some(([name, { const: word }]) => word !== undefined && word === value[name]),
  );
  if (says >= 0) return says;
  const knows = ({ properties = {} }: ConfigSchema) => Object.keys(value).every(name => name in properties);
  const preferred = variants[picked];
  if (preferred && knows(preferred)) return picked;
  return Math.max(0, variants.findIndex(knows));
}

/**
 * A shape as it begins where another one was before: its constants, and what both have in common. A secret is never
 * taken along, since under the same name it may be another one.
 */
export function beginVariant({ properties = {} }: ConfigSchema, before: ConfigSchema, value: Config): Config {
  const begun: [string, unknown][] = [];
  for (const [name, { const: word, writeOnly, readOnly }] of Object.entries(properties)) {
    const known = before.properties?.[name];
    const isCommon = known !== undefined && fieldKindOf(known) === fieldKindOf(properties[name] ?? {});
    if (word !== undefined) begun.push([name, word]);
    else if (isCommon && !writeOnly && !readOnly && value[name] !== undefined)
      begun.push([name, value[name]]);
  }
  return Object.fromEntries(begun);
}

/** The fields that are asked for: not the word that tells a shape, and not what the service writes itself. */
export const askedFields = ({ properties = {} }: ConfigSchema): [string, ConfigSchema][] =>
  Object.entries(properties).filter(([, { const: word, readOnly }]) => word === undefined && !readOnly);

/** `retry_s` reads `Retry s` where nobody gave it a title. */
export const titleOf = (name: string, { title }: ConfigSchema): string =>
  title ?? capitalised(name.replaceAll('_', ' '));
