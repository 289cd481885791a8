import { sql } from 'kysely';
import type { StoredBreaker } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';
import { canProbe } from '../deliveries/held.ts';

/** The breakers of destinations: each change is one statement, so that nodes agree on it. */

const breakerColumns = [
  'breaker_opened_at',
  'next_probe_at',
  'probe_until',
  'last_probe_at',
  'probe_ended_at',
  'last_failure',
] as const;

export const toBreaker = (
  row: Pick<Schema['destinations'], (typeof breakerColumns)[number]>,
): StoredBreaker | null =>
  row.breaker_opened_at === null
    ? null
    : {
        openedAt: row.breaker_opened_at,
        nextProbeAt: row.next_probe_at ?? row.breaker_opened_at,
        probeUntil: row.probe_until,
        lastProbeAt: row.last_probe_at,
        probeEndedAt: row.probe_ended_at,
        lastFailure: row.last_failure,
      };

const readBreaker: Operation<(orgId: string, id: string) => Promise<StoredBreaker | null>> = async (
  db,
  orgId,
  id,
) => {
  const row = await db
    .selectFrom('destinations')
    .select(breakerColumns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toBreaker(row) : null;
};

export const openBreaker: Operation<ConfigurationStore['openBreaker']> = async (
  db,
  orgId,
  id,
  { openedAt, nextProbeAt, failure },
) => {
  await db
    .updateTable('destinations')
    .set({ breaker_opened_at: openedAt, next_probe_at: nextProbeAt, last_failure: failure })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('breaker_opened_at', 'is', null)
    .execute();
  return readBreaker(db, orgId, id);
};

export const closeBreaker: Operation<ConfigurationStore['closeBreaker']> = async (db, orgId, id) =>
  (await db
    .updateTable('destinations')
    .set({
      breaker_opened_at: null,
      next_probe_at: null,
      probe_until: null,
      probe_token: null,
      last_probe_at: null,
      probe_ended_at: null,
      last_failure: null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('breaker_opened_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const takeProbe: Operation<ConfigurationStore['takeProbe']> = async (
  db,
  orgId,
  id,
  { now, until, token, firstDueAt },
) => {
  const taken = await db
    .updateTable('destinations')
    .set({ probe_until: until, probe_token: token })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('paused', '=', 0)
    .where('breaker_opened_at', 'is not', null)
    .where(eb => eb.or([eb('probe_until', 'is', null), eb('probe_until', '<=', now)]))
    .where(eb =>
      eb.or([
        eb('next_probe_at', '<=', now),
        eb(eb.fn.coalesce('probe_ended_at', 'breaker_opened_at'), '<', firstDueAt),
      ]),
    )
    .returning('id')
    .executeTakeFirst();
  return { isTaken: taken !== undefined, breaker: await readBreaker(db, orgId, id) };
};

export const endProbe: Operation<ConfigurationStore['endProbe']> = async (db, orgId, id, token, end) => {
  await db
    .updateTable('destinations')
    .set({
      probe_until: null,
      probe_token: null,
      ...(end.kind === 'failed'
        ? {
            last_probe_at: end.leftAt,
            probe_ended_at: end.endedAt,
            next_probe_at: end.nextProbeAt,
            last_failure: end.failure,
          }
        : {}),
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('probe_token', '=', token)
    .where('breaker_opened_at', 'is not', null)
    .execute();
};

export const hastenProbe: Operation<ConfigurationStore['hastenProbe']> = async (db, orgId, id, at) =>
  (await db
    .updateTable('destinations')
    .set({ next_probe_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(canProbe(at))
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const bringProbesForward: Operation<ConfigurationStore['bringProbesForward']> = async (
  db,
  { now, nextProbeAt, probeUntil },
) => {
  const known = (column: 'last_probe_at' | 'probe_ended_at') =>
    sql<number | null>`CASE WHEN ${sql.ref(column)} > ${now} THEN NULL ELSE ${sql.ref(column)} END`;
  await db
    .updateTable('destinations')
    .set({
      breaker_opened_at: sql`CASE WHEN breaker_opened_at > ${now} THEN ${now} ELSE breaker_opened_at END`,
      next_probe_at: sql`
        CASE WHEN next_probe_at > ${nextProbeAt} OR coalesce(probe_ended_at, breaker_opened_at) > ${now} THEN ${now}
        ELSE next_probe_at END`,
      probe_until: sql`CASE WHEN probe_until > ${probeUntil} THEN NULL ELSE probe_until END`,
      probe_token: sql`CASE WHEN probe_until > ${probeUntil} THEN NULL ELSE probe_token END`,
      last_probe_at: known('last_probe_at'),
      probe_ended_at: known('probe_ended_at'),
    })
    .where('breaker_opened_at', 'is not', null)
    .execute();
};
