import type {
  PipelineVersion,
  Processing,
  StoredPipeline,
} from '../../../core/stores/configuration/pipelines.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** Pipelines and every version of them. */

type PipelineRow = Schema['pipelines'] & { definition: string };

const toPipeline = (row: PipelineRow): StoredPipeline => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  enabled: row.enabled === 1,
  version: row.version,
  definition: row.definition,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toVersion = (row: Schema['pipeline_versions']): PipelineVersion => ({
  pipelineId: row.pipeline_id,
  version: row.version,
  definition: row.definition,
  createdBy: row.created_by,
  createdAt: row.created_at,
  note: row.note,
});

/** Each with the definition of its present version. */
const pipelinesOf = (db: Db, orgId: string) =>
  db
    .selectFrom('pipelines')
    .innerJoin('pipeline_versions as present', join =>
      join
        .onRef('present.org_id', '=', 'pipelines.org_id')
        .onRef('present.pipeline_id', '=', 'pipelines.id')
        .onRef('present.version', '=', 'pipelines.version'),
    )
    .selectAll('pipelines')
    .select('present.definition')
    .where('pipelines.org_id', '=', orgId);

export const createPipeline: Operation<ConfigurationStore['createPipeline']> = async (
  db,
  pipeline,
  by,
  note = null,
) => {
  await db
    .insertInto('pipelines')
    .values({
      id: pipeline.id,
      org_id: pipeline.orgId,
      name: pipeline.name,
      enabled: Number(pipeline.enabled),
      version: pipeline.version,
      created_at: pipeline.createdAt,
      updated_at: pipeline.updatedAt,
    })
    .execute();
  await addVersion(db, pipeline.orgId, {
    pipelineId: pipeline.id,
    version: pipeline.version,
    definition: pipeline.definition,
    createdBy: by,
    createdAt: pipeline.createdAt,
    note,
  });
};

async function addVersion(db: Db, orgId: string, version: PipelineVersion): Promise<void> {
  await db
    .insertInto('pipeline_versions')
    .values({
      org_id: orgId,
      pipeline_id: version.pipelineId,
      version: version.version,
      definition: version.definition,
      created_by: version.createdBy,
      created_at: version.createdAt,
      note: version.note,
    })
    .execute();
}

export const listPipelines: Operation<ConfigurationStore['listPipelines']> = async (db, orgId) =>
  (await pipelinesOf(db, orgId).orderBy('pipelines.id', 'desc').execute()).map(toPipeline);

export const findPipeline: Operation<ConfigurationStore['findPipeline']> = async (db, orgId, id) => {
  const row = await pipelinesOf(db, orgId).where('pipelines.id', '=', id).executeTakeFirst();
  return row ? toPipeline(row) : null;
};

export const savePipeline: Operation<ConfigurationStore['savePipeline']> = async (
  db,
  orgId,
  id,
  save,
  by,
  at,
) => {
  const version = save.from + 1;
  const saved = await db
    .updateTable('pipelines')
    .set({
      name: save.name,
      version,
      enabled: save.enabled === undefined ? undefined : Number(save.enabled),
      updated_at: at,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('version', '=', save.from)
    .returning('id')
    .executeTakeFirst();
  if (!saved) return (await findPipeline(db, orgId, id)) === null ? 'not_found' : 'changed_meanwhile';
  const { definition, note = null } = save;
  await addVersion(db, orgId, { pipelineId: id, version, definition, createdBy: by, createdAt: at, note });
  return 'saved';
};

export const notePipelineVersion: Operation<ConfigurationStore['notePipelineVersion']> = async (
  db,
  orgId,
  id,
  version,
  note,
) =>
  (await db
    .updateTable('pipeline_versions')
    .set({ note })
    .where('org_id', '=', orgId)
    .where('pipeline_id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()) !== undefined;

export const enablePipeline: Operation<ConfigurationStore['enablePipeline']> = async (
  db,
  orgId,
  id,
  enabled,
  at,
) =>
  (await db
    .updateTable('pipelines')
    .set({ enabled: Number(enabled), updated_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const deletePipeline: Operation<ConfigurationStore['deletePipeline']> = async (db, orgId, id) =>
  (await db
    .deleteFrom('pipelines')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

const versionsOf = (db: Db, orgId: string, id: string) =>
  db.selectFrom('pipeline_versions').selectAll().where('org_id', '=', orgId).where('pipeline_id', '=', id);

export const listPipelineVersions: Operation<ConfigurationStore['listPipelineVersions']> = async (
  db,
  orgId,
  id,
) => (await versionsOf(db, orgId, id).orderBy('version', 'desc').execute()).map(toVersion);

export const findPipelineVersion: Operation<ConfigurationStore['findPipelineVersion']> = async (
  db,
  orgId,
  id,
  version,
) => {
  const row = await versionsOf(db, orgId, id).where('version', '=', version).executeTakeFirst();
  return row ? toVersion(row) : null;
};

export const readProcessing: Operation<ConfigurationStore['readProcessing']> = async (db, orgId) => {
  const sources = await db
    .selectFrom('sources')
    .select(['id', 'kind', 'name', 'enabled', 'match'])
    .where('org_id', '=', orgId)
    .execute();
  const pipelines = await pipelinesOf(db, orgId)
    .where('pipelines.enabled', '=', 1)
    .orderBy('pipelines.id')
    .execute();
  return {
    sources: sources.map(({ id, kind, name, enabled, match }) => ({
      id,
      kind: kind as Processing['sources'][number]['kind'],
      name,
      enabled: enabled === 1,
      match,
    })),
    pipelines: pipelines.map(toPipeline),
  };
};
