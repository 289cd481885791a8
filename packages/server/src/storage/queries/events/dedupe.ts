import type { EventQueue } from '../../../core/stores/event-queue.ts';
import type { Operation } from '../../operation.ts';

/** Dedupe keys: which event holds each. */

/** A statement has room for a limited number of values. */
const KEYS_A_STATEMENT = 1_000;

export const findDedupeKeys: Operation<EventQueue['findDedupeKeys']> = async (db, keys, now) => {
  const found = new Map<string, string>();
  for (let from = 0; from < keys.length; from += KEYS_A_STATEMENT) {
    const rows = await db
      .selectFrom('dedupe_keys')
      .select(['org_id', 'scope', 'key', 'event_id'])
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('org_id', 'scope', 'key'),
          'in',
          keys.slice(from, from + KEYS_A_STATEMENT).map(({ orgId, scope, key }) => tuple(orgId, scope, key)),
        ),
      )
      .where('expires_at', '>', now)
      .execute();
    for (const row of rows) found.set(nameOf(row.org_id, row.scope, row.key), row.event_id);
  }
  return keys.map(({ orgId, scope, key }) => found.get(nameOf(orgId, scope, key)) ?? null);
};

/** None of the three has line breaks. */
const nameOf = (orgId: string, scope: string, key: string): string => `${orgId}\n${scope}\n${key}`;
