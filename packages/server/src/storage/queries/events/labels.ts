import type { EventQueue } from '../../../core/stores/event-queue.ts';
import type { Operation } from '../../operation.ts';

/** Labels that models gave, by what they were shown: the queries behind the label cache. */

export const findLabel: Operation<EventQueue['findLabel']> = async (db, orgId, key) =>
  (
    await db
      .selectFrom('labels')
      .select('label')
      .where('org_id', '=', orgId)
      .where('key', '=', key)
      .executeTakeFirst()
  )?.label ?? null;

export const claimLabel: Operation<EventQueue['claimLabel']> = async (
  db,
  orgId,
  key,
  { token, now, leaseMs },
) => {
  const lease = { lease_until: now + leaseMs, lease_token: token, used_at: now };
  // Of two nodes the second one waits here for the first, and finds its lease.
  const claimed = await db
    .insertInto('labels')
    .values({ org_id: orgId, key, label: null, hits: 0, ...lease })
    .onConflict(conflict =>
      conflict
        .columns(['org_id', 'key'])
        .doUpdateSet(lease)
        .where('labels.label', 'is', null)
        .where('labels.lease_until', '<=', now),
    )
    .returning('key')
    .executeTakeFirst();
  if (claimed) return { kind: 'claimed' };
  const label = await findLabel(db, orgId, key);
  return label === null ? { kind: 'busy' } : { kind: 'hit', label };
};

export const keepLabel: Operation<EventQueue['keepLabel']> = async (db, orgId, key, label, now) => {
  await db
    .insertInto('labels')
    .values({ org_id: orgId, key, label, lease_until: 0, lease_token: '', hits: 0, used_at: now })
    .onConflict(conflict =>
      conflict
        .columns(['org_id', 'key'])
        .doUpdateSet({ label, lease_until: 0, lease_token: '', used_at: now }),
    )
    .execute();
};

export const releaseLabel: Operation<EventQueue['releaseLabel']> = async (db, orgId, key, token) => {
  await db
    .deleteFrom('labels')
    .where('org_id', '=', orgId)
    .where('key', '=', key)
    .where('label', 'is', null)
    .where('lease_token', '=', token)
    .execute();
};

export const recordLabelUse: Operation<EventQueue['recordLabelUse']> = async (db, uses) => {
  // In one order, so that two nodes that update the same ones cannot deadlock.
  const sorted = uses.toSorted((a, b) => (`${a.orgId}\n${a.key}` < `${b.orgId}\n${b.key}` ? -1 : 1));
  for (const { orgId, key, hits, at } of sorted) {
    await db
      .updateTable('labels')
      .set(eb => ({ hits: eb('hits', '+', hits), used_at: at }))
      .where('org_id', '=', orgId)
      .where('key', '=', key)
      .execute();
  }
};
