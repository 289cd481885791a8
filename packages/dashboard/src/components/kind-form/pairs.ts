import { parseExact, stringifyExact } from '../../lib/api/exact-json.ts';

export type Pair = readonly [name: string, text: string];

/** The rows of an object: each name, and its value as it is written. */
export const toPairs = (value: unknown, areTexts: boolean): Pair[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, each]) => [name, areTexts ? String(each) : showValue(each)])
    : [];

/** A text that would read as something else stands in quotes. */
export const showValue = (value: unknown): string =>
  typeof value === 'string' && readValue(value) === value ? value : stringifyExact(value, 0);

/** `{"select": …}`, `true`, `12` and `"in quotes"` are what they say; everything else is a text. */
export function readValue(text: string): unknown {
  if (!/^\s*(?:["[{]|-?\d|true\b|false\b|null\b)/.test(text)) return text;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
