import { randomBytes } from 'node:crypto';
import { invalid, Problem } from '../errors.ts';

/**
 * JSON as the service means it: integers are exact at any size (beyond 2^53 they are BigInt), fractions are
 * doubles, and a text that a relational database could not hold is refused.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * Only these texts can hold a number that a double gets wrong: one of sixteen digits, or with a long exponent. A
 * number stands at the beginning or after one of these signs, which tells it from digits in most texts.
 */
const LONG_NUMBER = /(?:^|[[:,\s])-?(?:\d{16}|[\d.]+[eE][+-]?\d{3})/;

export function parseJson(text: string): Json {
  return LONG_NUMBER.test(text) ? parseExactly(text) : parsePlainly(text);
}

function parsePlainly(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Problem('invalid_json');
  }
}

/**
 * A reviver that is shown each number's digits would do, at half a second for a body full of numbers. So the few
 * long integers are put into quotation marks first, with a word before them that no text can say, and taken out again.
 */
function parseExactly(text: string): Json {
  const value = parsePlainly(text);
  if (deeperThan(value, MOST_NESTING)) {
    throw new Problem('validation_failed', { message: 'The JSON is nested too deeply.' });
  }
  const path = findPath(value, '', inner => inner === Infinity || inner === -Infinity);
  if (path !== undefined)
    throw invalid(path, `${sentenceSubject(path)} is a number beyond the range of a double.`);
  const quoted = quoteLongIntegers(text);
  return quoted === text ? value : unquote(JSON.parse(quoted) as Json);
}

/** What is nested deeper than any limit must not be walked. */
const MOST_NESTING = 1_000;

const LONG_INTEGER = /(?<=^|[[:,\s])-?\d{16,}(?![\d.eE])/g;
const QUOTED = `${randomBytes(12).toString('hex')}:`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function quoteLongIntegers(text: string): string {
  const isInString = createStringFinder(text);
  return text.replace(LONG_INTEGER, (digits, at: number) =>
    Number.isSafeInteger(Number(digits)) || isInString(at) ? digits : `"${QUOTED}${digits}"`,
  );
}

/** Whether a place of a JSON text lies inside one of its strings; asked from left to right, each sign is read once. */
function createStringFinder(text: string): (at: number) => boolean {
  let read = 0;
  let isInside = false;
  return at => {
    for (; read < at; read++) {
      const sign = text.charCodeAt(read);
      if (sign === QUOTE) isInside = !isInside;
      else if (sign === BACKSLASH) read++;
    }
    return isInside;
  };
}

function unquote(value: Json): Json {
  if (typeof value === 'string') {
    return value.startsWith(QUOTED) ? BigInt(value.slice(QUOTED.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = unquote(value[i] as Json);
  } else {
    for (const key in value) value[key] = unquote(value[key] as Json);
  }
  return value;
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Exact, whatever the value holds. JSON itself refuses a BigInt, so only then the slower way is gone. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch {
    return JSON.stringify(value, writeBigInt, indent);
  }
}

const writeBigInt = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? rawJSON(value.toString()) : value;

/** Refuses nesting beyond the limit; `value` itself is level 1. */
export function requireNesting(value: Json, limit: number, path: string): void {
  if (deeperThan(value, limit)) {
    throw invalid(path, `${sentenceSubject(path)} may be nested ${limit} levels deep.`);
  }
}

function deeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (deeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (deeperThan(value[key] as Json, levels - 1)) return true;
  return false;
}

/** Only an escape can smuggle a NUL or half a surrogate pair into text that is valid UTF-8. */
export const mayHoldUnstorableText = (text: string): boolean => text.includes('\\u');

/** Refuses NUL and lone surrogates in any string or key. Call it on values of bounded nesting. */
export function requireStorableText(value: Json, path: string): void {
  const offender = findPath(value, path, inner => typeof inner === 'string' && !isStorable(inner));
  if (offender !== undefined)
    throw invalid(
      offender,
      `${sentenceSubject(offender)} may hold neither NUL characters nor lone surrogates.`,
    );
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The path of the first value, or of the object with the first key, for which `matches` holds. */
function findPath(value: Json, path: string, matches: (inner: Json) => boolean): string | undefined {
  return keysTo(value, matches)?.reduceRight<string>(joinPath, path);
}

/** From the inside out. Most texts hold nothing to be found, so nothing is built on the way in. */
function keysTo(value: Json, matches: (inner: Json) => boolean): (string | number)[] | null {
  if (matches(value)) return [];
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const keys = keysTo(value[i] as Json, matches);
      if (keys !== null) return [...keys, i];
    }
    return null;
  }
  for (const key in value) {
    if (matches(key)) return [];
    const keys = keysTo(value[key] as Json, matches);
    if (keys !== null) return [...keys, key];
  }
  return null;
}

/** What a sentence about a field begins with. */
export const sentenceSubject = (path: string): string => (path === '' ? 'The body' : path);

/** `events[2].payload["a.b"]`: dotted where it reads, quoted where it must be. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** A character is a Unicode code point. Most strings are far from the limit, so count only when it matters. */
export function longerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  if (text.length > characters * 2) return true;
  let count = 0;
  for (const _ of text) if (++count > characters) return true;
  return false;
}
