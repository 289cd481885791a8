import { z } from 'zod';

/**
 * Names of tables and columns: anything PostgreSQL takes, but no quotes, so that quoting them is all there is to do.
 */
const MOST_BYTES = 63;

const isName = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= MOST_BYTES && !/["'`\\\x00-\x1f\x7f]/.test(text);

export const columnName = z
  .string()
  .refine(isName, 'must be the name of a column: up to 63 bytes, without quotes or control characters.');

export const tableName = z
  .string()
  .refine(
    text => text.split('.').length <= 2 && text.split('.').every(isName),
    'must read like table or schema.table, without quotes.',
  );

export const quoteName = (name: string): string => `"${name}"`;

/** `schema.table`, each part quoted. */
export const quoteTable = (table: string): string => table.split('.').map(quoteName).join('.');
