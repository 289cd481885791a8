import { createHash } from 'node:crypto';
import type { Json } from './json.ts';

/**
 * One text for one JSON value, however it was written: keys sorted by their UTF-16 units, no blanks, integers
 * exact at any size. Values that are equal have equal texts, so their hashes can stand for them.
 */
export function canonicalJson(value: Json): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'number':
      return canonicalNumber(value);
    case 'object': {
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
      const fields = Object.keys(value)
        .sort()
        .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
      return `{${fields.join(',')}}`;
    }
    default:
      return JSON.stringify(value);
  }
}

/** As a payload's text writes it, but `1e21` as the 1 and twenty-one zeros that it means; and -0 is 0. */
function canonicalNumber(value: number): string {
  const text = JSON.stringify(value);
  const [, sign = '', first = '', rest = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e\+(\d+)$/.exec(text) ?? [];
  return exponent === undefined ? text : `${sign}${first}${rest.padEnd(Number(exponent), '0')}`;
}

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
