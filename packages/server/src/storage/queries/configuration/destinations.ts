import { sql } from 'kysely';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';
import { takeOut } from './take-out.ts';

/** Destinations, with the state of their breakers. */

const toDestination = (row: Schema['destinations']): StoredDestination => ({
  id: row.id,
  orgId: row.org_id,
  kind: row.kind,
  name: row.name,
  config: row.config,
  policy: JSON.parse(row.policy) as StoredDestination['policy'],
  paused: row.paused === 1,
  breaker: {
    failuresInARow: row.failures_in_a_row,
    openedAt: row.breaker_opened_at,
    nextProbeAt: row.next_probe_at,
  },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const createDestination: Operation<ConfigurationStore['createDestination']> = async (
  db,
  destination,
) => {
  await db
    .insertInto('destinations')
    .values({
      id: destination.id,
      org_id: destination.orgId,
      kind: destination.kind,
      name: destination.name,
      config: destination.config,
      policy: JSON.stringify(destination.policy),
      paused: Number(destination.paused),
      failures_in_a_row: destination.breaker.failuresInARow,
      breaker_opened_at: destination.breaker.openedAt,
      next_probe_at: destination.breaker.nextProbeAt,
      created_at: destination.createdAt,
      updated_at: destination.updatedAt,
    })
    .execute();
};

export const listDestinations: Operation<ConfigurationStore['listDestinations']> = async (db, orgId) =>
  (
    await db
      .selectFrom('destinations')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('id', 'desc')
      .execute()
  ).map(toDestination);

export const findDestination: Operation<ConfigurationStore['findDestination']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('destinations')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toDestination(row) : null;
};

/** What was held has not been waiting for a destination that is down. */
const ifDown = (at: number) =>
  sql<number | null>`CASE WHEN breaker_opened_at IS NULL THEN NULL ELSE CAST(${at} AS BIGINT) END`;

export const updateDestination: Operation<ConfigurationStore['updateDestination']> = async (
  db,
  orgId,
  id,
  change,
  at,
) =>
  (await db
    .updateTable('destinations')
    .set({
      name: change.name,
      config: change.config,
      policy: change.policy === undefined ? undefined : JSON.stringify(change.policy),
      paused: change.paused === undefined ? undefined : Number(change.paused),
      ...(change.paused === false ? { breaker_opened_at: ifDown(at), next_probe_at: ifDown(at) } : {}),
      updated_at: at,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const deleteDestination: Operation<ConfigurationStore['deleteDestination']> = async (
  db,
  orgId,
  id,
  by,
  at,
) => {
  const deleted = await db
    .deleteFrom('destinations')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) return false;
  await takeOut(db, orgId, { part: 'destinations', id }, by, at);
  return true;
};

export const saveBreaker: Operation<ConfigurationStore['saveBreaker']> = async (db, orgId, id, breaker) => {
  await db
    .updateTable('destinations')
    .set({
      failures_in_a_row: breaker.failuresInARow,
      breaker_opened_at: breaker.openedAt,
      next_probe_at: breaker.nextProbeAt,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
};
