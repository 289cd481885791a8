import { sql } from 'kysely';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';
import { toBreaker } from './breakers.ts';
import { keptPolicies } from './former-policies.ts';
import { takeOut } from './take-out.ts';

/** Destinations as people set them up. */

const toDestination = (row: Schema['destinations']): StoredDestination => ({
  id: row.id,
  orgId: row.org_id,
  kind: row.kind,
  name: row.name,
  config: row.config,
  policy: JSON.parse(row.policy) as StoredDestination['policy'],
  paused: row.paused === 1,
  formerPolicies: JSON.parse(row.former_policies) as StoredDestination['formerPolicies'],
  breaker: toBreaker(row),
  listenerToken: row.listener_token,
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
      former_policies: JSON.stringify(destination.formerPolicies),
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

const triedAtOnce = (at: number) => ({
  breaker_opened_at: ifDown(at),
  next_probe_at: ifDown(at),
  last_probe_at: null,
  probe_ended_at: null,
});

export const updateDestination: Operation<ConfigurationStore['updateDestination']> = async (
  db,
  orgId,
  id,
  change,
  at,
) => {
  const former = change.policy && (await keptPolicies(db, orgId, id, change.policy, at));
  const updated = await db
    .updateTable('destinations')
    .set({
      name: change.name,
      config: change.config,
      policy: change.policy === undefined ? undefined : JSON.stringify(change.policy),
      paused: change.paused === undefined ? undefined : Number(change.paused),
      former_policies: former && JSON.stringify(former),
      ...(change.paused === false ? triedAtOnce(at) : {}),
      updated_at: at,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return updated !== undefined;
};

export const recordLastErrors: Operation<ConfigurationStore['recordLastErrors']> = async (db, errors) => {
  // In one order, so that two nodes that update the same ones cannot deadlock.
  for (const { orgId, id, at, message } of errors.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    await db
      .updateTable('destinations')
      .set({ last_error: message, last_error_at: at })
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where(eb => eb.or([eb('last_error_at', 'is', null), eb('last_error_at', '<=', at)]))
      .execute();
  }
};

export const listLastErrors: Operation<ConfigurationStore['listLastErrors']> = async (db, orgId) => {
  const rows = await db
    .selectFrom('destinations')
    .select(['id', 'last_error', 'last_error_at'])
    .where('org_id', '=', orgId)
    .where('last_error', 'is not', null)
    .execute();
  return rows.map(row => ({
    orgId,
    id: row.id,
    at: Number(row.last_error_at),
    message: row.last_error ?? '',
  }));
};

export const beginListening: Operation<ConfigurationStore['beginListening']> = async (
  db,
  orgId,
  id,
  token,
  at,
) => {
  const begun = await db
    .updateTable('destinations')
    .set({ listener_token: token, ...triedAtOnce(at) })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return begun !== undefined;
};

export const endListening: Operation<ConfigurationStore['endListening']> = async (db, orgId, id, token) => {
  const ended = await db
    .updateTable('destinations')
    .set({ listener_token: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('listener_token', '=', token)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
};

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
