import { sql } from 'kysely';
import { EXCERPT_LENGTH, type Excerpt, excerptOf } from '../../../core/event/excerpt.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** Payloads of many events. Each may have a megabyte: how much of them is in memory at once is bounded. */

/** Of the payloads of a list, so much is read for what is to be shown of each. */
const MOST_SEARCHED_BYTES = 16 * 1024 * 1024;
/** Of one that there is no room for. */
const UNREAD: Excerpt = { before: '…', hit: '', after: '' };

export const readPayloads: Operation<Journal['readPayloads']> = async (db, orgId, ids, mostBytes) => {
  if (ids.length === 0) return { payloads: {}, covered: 0 };
  const sizes = await sizesOf(db, orgId, ids);
  let covered = 0;
  let bytes = 0;
  for (const id of ids) {
    bytes += sizes.get(id) ?? 0;
    if (covered > 0 && bytes > mostBytes) break;
    covered++;
  }
  const rows = await db
    .selectFrom('events')
    .select(['id', 'payload'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids.slice(0, covered))
    .execute();
  return { payloads: Object.fromEntries(rows.map(({ id, payload }) => [id, payload])), covered };
};

async function sizesOf(db: Db, orgId: string, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('events')
    .select(['id', sql<number>`octet_length(payload)`.as('size')])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, size }) => [id, Number(size)]));
}

export const excerptPayloads: Operation<Journal['excerptPayloads']> = async (db, orgId, ids, text) => {
  if (ids.length === 0) return {};
  // Even for its beginning a payload is read whole. Its size is known without.
  const sizes = await sizesOf(db, orgId, ids);
  const excerpts: Record<string, Excerpt> = {};
  const read: string[] = [];
  let room = MOST_SEARCHED_BYTES;
  for (const id of ids) {
    const size = sizes.get(id);
    if (size === undefined) continue;
    if (size <= room) {
      room -= size;
      read.push(id);
    } else excerpts[id] = UNREAD;
  }
  if (text === undefined) return { ...excerpts, ...(await beginningsOf(db, orgId, read)) };
  for (const id of read) {
    // One at a time: the next is read when this one is gone.
    const row = await db
      .selectFrom('events')
      .select('payload')
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row !== undefined) excerpts[id] = excerptOf(row.payload, text);
  }
  return excerpts;
};

async function beginningsOf(db: Db, orgId: string, ids: readonly string[]): Promise<Record<string, Excerpt>> {
  if (ids.length === 0) return {};
  const rows = await db
    .selectFrom('events')
    .select(['id', sql<string>`substr(payload, 1, ${sql.lit(EXCERPT_LENGTH + 1)})`.as('beginning')])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return Object.fromEntries(rows.map(({ id, beginning }) => [id, excerptOf(beginning)]));
}
