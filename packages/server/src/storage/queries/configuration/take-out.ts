import { type JsonObject, parseJson, stringifyJson } from '../../../core/json/json.ts';
import type { Db } from '../../schema.ts';

/** Takes a source or a destination that is gone out of every pipeline that names it, each in a version of its own. */
export async function takeOut(
  db: Db,
  orgId: string,
  gone: { readonly part: 'sources' | 'destinations'; readonly id: string },
  by: string,
  at: number,
): Promise<void> {
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
  for (const pipeline of pipelines) {
    const definition = without(pipeline.definition, gone);
    if (definition === null) continue;
    const version = pipeline.version + 1;
    await db
      .insertInto('pipeline_versions')
      .values({
        org_id: orgId,
        pipeline_id: pipeline.id,
        version,
        definition,
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
}

/** Null where it was never named. */
function without(
  text: string,
  { part, id }: { readonly part: 'sources' | 'destinations'; readonly id: string },
): string | null {
  const definition = parseJson(text) as JsonObject;
  const named = (definition[part] ?? []) as (string | { id: string })[];
  const left = named.filter(one => (typeof one === 'string' ? one : one.id) !== id);
  return left.length === named.length ? null : stringifyJson({ ...definition, [part]: left });
}
