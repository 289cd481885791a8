import { hash } from 'node:crypto';
import type { MovedColumn, RowValues } from './table.ts';

/**
 * The checksum of a row, computed here and by PostgreSQL from the same canonical text: its values in the order of the
 * columns, whole numbers in digits, doubles as their 64 bits, set apart by a control character, with another for null.
 * The checksum of many rows is the sum of theirs, which needs no order.
 */
const BETWEEN = '\u0001';
const NOTHING = '\u0002';

export function checksumOf(columns: readonly MovedColumn[], values: RowValues): bigint {
  const texts = values.map((value, i) => {
    if (value === null) return NOTHING;
    return columns[i]?.type === 'double' ? bitsOf(value) : value;
  });
  return hash('sha256', texts.join(BETWEEN), 'buffer').readBigInt64BE(0);
}

function bitsOf(value: string): string {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(Number(value));
  return bits.toString('hex');
}

/** A function of PostgreSQL takes a hundred values at most. */
const COLUMNS_A_CALL = 90;

/** The same as an expression of PostgreSQL. */
export function checksumInPostgres(columns: readonly MovedColumn[]): string {
  const texts: string[] = [];
  for (let from = 0; from < columns.length; from += COLUMNS_A_CALL) {
    const some = columns.slice(from, from + COLUMNS_A_CALL).map(inPostgres);
    texts.push(`concat_ws(E'\\x01', ${some.join(', ')})`);
  }
  const bytes = `sha256(convert_to(${texts.join(` || E'\\x01' || `)}, 'UTF8'))`;
  return `('x' || encode(substr(${bytes}, 1, 8), 'hex'))::bit(64)::bigint`;
}

function inPostgres({ name, type }: MovedColumn): string {
  const column = `"${name}"`;
  const text = { text: column, integer: `${column}::text`, double: `encode(float8send(${column}), 'hex')` };
  return `coalesce(${text[type]}, E'\\x02')`;
}
