import type { Destinations, StoredDestination } from '../../core/ports-delivery.ts';
import type { Operation } from '../operation.ts';
import type { Db, Schema } from '../schema.ts';

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

export const createDestination: Operation<Destinations['createDestination']> = async (db, destination) => {
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

export const listDestinations: Operation<Destinations['listDestinations']> = async (db, orgId) =>
  (
    await db
      .selectFrom('destinations')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('id', 'desc')
      .execute()
  ).map(toDestination);

export const findDestination: Operation<Destinations['findDestination']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('destinations')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toDestination(row) : null;
};

export const updateDestination: Operation<Destinations['updateDestination']> = async (
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
      updated_at: at,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const deleteDestination: Operation<Destinations['deleteDestination']> = async (
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
  const pipelines = await db
    .selectFrom('pipelines')
    .innerJoin('pipeline_versions', join =>
      join
        .onRef('pipeline_versions.org_id', '=', 'pipelines.org_id')
        .onRef('pipeline_versions.pipeline_id', '=', 'pipelines.id')
        .onRef('pipeline_versions.version', '=', 'pipelines.version'),
    )
    .select(['pipelines.id', 'pipelines.version', 'pipeline_versions.definition'])
    .where('pipelines.org_id', '=', orgId)
    .execute();
  for (const pipeline of pipelines) await takeOut(db, orgId, pipeline, id, by, at);
  return true;
};

async function takeOut(
  db: Db,
  orgId: string,
  pipeline: { id: string; version: number; definition: string },
  destinationId: string,
  by: string,
  at: number,
): Promise<void> {
  const definition = JSON.parse(pipeline.definition) as { destinations: { id: string }[] };
  const destinations = definition.destinations.filter(destination => destination.id !== destinationId);
  if (destinations.length === definition.destinations.length) return;
  const version = pipeline.version + 1;
  await db
    .insertInto('pipeline_versions')
    .values({
      org_id: orgId,
      pipeline_id: pipeline.id,
      version,
      definition: JSON.stringify({ ...definition, destinations }),
      created_by: by,
      created_at: at,
    })
    .execute();
  await db
    .updateTable('pipelines')
    .set({ version, updated_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', pipeline.id)
    .execute();
}

export const saveBreaker: Operation<Destinations['saveBreaker']> = async (db, orgId, id, breaker) => {
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
