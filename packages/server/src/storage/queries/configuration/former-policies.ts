import { sql } from 'kysely';
import type { FormerPolicy, StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { Db } from '../../schema.ts';

/**
 * The policies that a destination had before, for as long as something is open there: what waits when one is changed
 * keeps the longer of both schedules. They stand at the destination, not at each delivery, so that saving a policy
 * takes no longer where a million wait.
 */

/** Past this the two oldest become one that is as long as either. */
const MOST_KEPT = 8;

/** What is kept once the policy has changed to this one. */
export async function keptPolicies(
  db: Db,
  orgId: string,
  id: string,
  next: StoredDestination['policy'],
  at: number,
): Promise<FormerPolicy[] | undefined> {
  // Written as it is, the row is nobody else's to change until this is committed.
  const stored = await db
    .updateTable('destinations')
    .set(eb => ({ updated_at: eb.ref('updated_at') }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(['policy', 'former_policies'])
    .executeTakeFirst();
  if (stored === undefined) return undefined;
  if (!(await hasOpen(db, orgId, id))) return [];
  const { attempts, schedule_s, timeout_s } = JSON.parse(stored.policy) as StoredDestination['policy'];
  const before: FormerPolicy = { attempts, schedule_s, timeout_s, until: at };
  const kept = JSON.parse(stored.former_policies) as FormerPolicy[];
  return isAlike(before, next) ? kept : withFormer(kept, before);
}

async function hasOpen(db: Db, orgId: string, id: string): Promise<boolean> {
  // The first two each have an index; what is being sent is found by its token.
  const { rows } = await sql<{ found: number }>`
    SELECT 1 AS found WHERE EXISTS (
      SELECT 1 FROM deliveries WHERE state IN ('pending', 'retrying') AND destination_id = ${id})
    OR EXISTS (
      SELECT 1 FROM deliveries
      WHERE state = 'delivering' AND lease_token IS NOT NULL AND org_id || '' = ${orgId}
        AND destination_id || '' = ${id})`.execute(db);
  return rows.length > 0;
}

/** One that held twice is kept once, with the later end. */
export function withFormer(kept: readonly FormerPolicy[], former: FormerPolicy): FormerPolicy[] {
  const all = [...kept.filter(one => !isAlike(one, former)), former];
  const [first, second, ...others] = all;
  return all.length <= MOST_KEPT || !first || !second ? all : [asLongAsBoth(first, second), ...others];
}

type Retries = Omit<FormerPolicy, 'until'>;

const isAlike = (a: Retries, b: Retries): boolean =>
  a.attempts === b.attempts &&
  a.timeout_s === b.timeout_s &&
  a.schedule_s.length === b.schedule_s.length &&
  a.schedule_s.every((delay, n) => delay === b.schedule_s[n]);

function asLongAsBoth(a: FormerPolicy, b: FormerPolicy): FormerPolicy {
  const delay = ({ schedule_s }: FormerPolicy, n: number) => schedule_s[n] ?? schedule_s.at(-1) ?? 0;
  const length = Math.max(a.schedule_s.length, b.schedule_s.length);
  return {
    attempts: Math.max(a.attempts, b.attempts),
    schedule_s: Array.from({ length }, (_, n) => Math.max(delay(a, n), delay(b, n))),
    timeout_s: Math.max(a.timeout_s, b.timeout_s),
    until: Math.max(a.until, b.until),
  };
}
