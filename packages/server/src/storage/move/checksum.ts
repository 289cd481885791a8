import { createHash } from 'node:crypto';
import type { MovedColumn, RowValues } from './table.ts';

/**
 * The checksum of a row, computed here and by PostgreSQL from the same canonical text: texts with their length in bytes
 * before them, whole numbers in digits, doubles as their 64 bits, a comma or a colon alone for null. So no two different
 * rows have one text. The checksum of many rows is the sum of theirs, which needs no order.
 */
export function checksumOf(columns: readonly MovedColumn[], values: RowValues): bigint {
  let text = '';
  for (const [i, { type }] of columns.entries()) {
    const value = values[i] ?? null;
    if (type === 'text') text += value === null ? ':' : `${Buffer.byteLength(value)}:${value}`;
    else if (value === null) text += ',';
    else text += type === 'integer' ? `${value},` : `${bitsOf(value)},`;
  }
  return createHash('sha256').update(text).digest().readBigInt64BE(0);
}

function bitsOf(value: string): string {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(Number(value));
  return bits.toString('hex');
}

/** A function of PostgreSQL takes a hundred values at most, and a column needs up to three. */
const COLUMNS_A_CALL = 33;

/** The same as an expression of PostgreSQL. `concat` leaves nulls out. */
export function checksumInPostgres(columns: readonly MovedColumn[]): string {
  const texts: string[] = [];
  for (let from = 0; from < columns.length; from += COLUMNS_A_CALL) {
    texts.push(
      `concat(${columns
        .slice(from, from + COLUMNS_A_CALL)
        .map(inPostgres)
        .join(', ')})`,
    );
  }
  const bytes = `sha256(convert_to(${texts.join(' || ')}, 'UTF8'))`;
  return `('x' || encode(substr(${bytes}, 1, 8), 'hex'))::bit(64)::bigint`;
}

function inPostgres({ name, type }: MovedColumn): string {
  const column = `"${name}"`;
  if (type === 'text') return `octet_length(${column}), ':', ${column}`;
  return type === 'integer' ? `${column}, ','` : `encode(float8send(${column}), 'hex'), ','`;
}
