import { timingSafeEqual } from 'node:crypto';
import { Problem } from '../core/errors.ts';
import type { Vault } from '../core/secrets/vault.ts';

/**
 * A cursor says where the last page ended. It is signed together with the list it belongs to, so that one that
 * was forged, altered or taken from another list or organisation is refused and never reaches a query.
 */
export interface Cursors {
  issue(list: string, position: string): string;
  read(list: string, cursor: string): string;
}

const SIGNATURE_LENGTH = 32;
/** What one looks like; whether it is one, its signature says. */
export const CURSOR = /^([A-Za-z0-9_-]*)\.([0-9a-f]{32})$/;

export function createCursors(vault: Pick<Vault, 'digest'>): Cursors {
  const sign = (list: string, encoded: string) =>
    vault.digest('cursor', `${list}\n${encoded}`).slice(0, SIGNATURE_LENGTH);

  return {
    issue(list, position) {
      const encoded = Buffer.from(position).toString('base64url');
      return `${encoded}.${sign(list, encoded)}`;
    },
    read(list, cursor) {
      // What is signed is the text itself: base64 has several spellings of the same bytes.
      const [, encoded, given] = CURSOR.exec(cursor) ?? [];
      if (
        encoded === undefined ||
        given === undefined ||
        !timingSafeEqual(Buffer.from(given), Buffer.from(sign(list, encoded)))
      ) {
        throw new Problem('invalid_cursor', { path: 'cursor' });
      }
      return Buffer.from(encoded, 'base64url').toString();
    },
  };
}

/** One page of rows that are all at hand and stand in the order of their keys, upwards or downwards. */
export function pageOf<Row>(
  rows: readonly Row[],
  order: { readonly keyOf: (row: Row) => string; readonly direction: 'ascending' | 'descending' },
  page: { readonly limit: number; readonly position: string | null },
): { rows: Row[]; next: string | null } {
  const { position } = page;
  const isAfter = (key: string) =>
    position === null || (order.direction === 'ascending' ? key > position : key < position);
  const rest = rows.filter(row => isAfter(order.keyOf(row)));
  const shown = rest.slice(0, page.limit);
  const last = shown.at(-1);
  return { rows: shown, next: rest.length > shown.length && last ? order.keyOf(last) : null };
}
