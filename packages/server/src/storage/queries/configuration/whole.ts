import type { ConfigurationEdit } from '../../../core/stores/configuration/whole.ts';
import { fingerprintOf } from '../../../core/stores/configuration/whole.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { createDestination, deleteDestination, listDestinations, updateDestination } from './destinations.ts';
import { createPipeline, deletePipeline, enablePipeline, listPipelines, savePipeline } from './pipelines.ts';
import { createSource, deleteSource, listSources, updateSource } from './sources.ts';

/** The whole configuration of an organisation: read at one moment, and changed in one transaction. */

export const readConfiguration: Operation<ConfigurationStore['readConfiguration']> = async (db, orgId) => ({
  sources: await listSources(db, orgId),
  destinations: await listDestinations(db, orgId),
  pipelines: await listPipelines(db, orgId),
});

export const editConfiguration: Operation<ConfigurationStore['editConfiguration']> = async (
  db,
  orgId,
  edit,
  expected,
  by,
  at,
) => {
  await lockEdited(db, orgId, edit);
  if (fingerprintOf(await readConfiguration(db, orgId)) !== expected) return 'changed_meanwhile';
  const { sources, destinations, pipelines } = edit;
  for (const source of sources.created) await createSource(db, source);
  for (const { id, change } of sources.changed) await updateSource(db, orgId, id, change, at);
  for (const destination of destinations.created) await createDestination(db, destination);
  for (const { id, change } of destinations.changed) await updateDestination(db, orgId, id, change, at);
  for (const pipeline of pipelines.created) await createPipeline(db, pipeline, by);
  for (const { id, change } of pipelines.changed) {
    if ('from' in change) await savePipeline(db, orgId, id, change, by, at);
    else await enablePipeline(db, orgId, id, change.enabled, at);
  }
  // What is removed is taken out of the pipelines that are left as they are by then.
  for (const id of pipelines.removed) await deletePipeline(db, orgId, id);
  for (const id of sources.removed) await deleteSource(db, orgId, id, by, at);
  for (const id of destinations.removed) await deleteDestination(db, orgId, id, by, at);
  return 'saved';
};

/**
 * Whoever changes one of these meanwhile does so before they are read here, or after this transaction. In the order
 * of their ids, as everybody who locks several.
 */
async function lockEdited(db: Db, orgId: string, edit: ConfigurationEdit): Promise<void> {
  // What is only made has no row to lock yet: two files take turns by their organisation.
  await db
    .updateTable('organisations')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', orgId)
    .execute();
  for (const table of ['sources', 'destinations', 'pipelines'] as const) {
    const { changed, removed } = edit[table];
    for (const id of [...changed.map(one => one.id), ...removed].toSorted()) {
      await db
        .updateTable(table)
        .set(({ ref }) => ({ updated_at: ref('updated_at') }))
        .where('org_id', '=', orgId)
        .where('id', '=', id)
        .execute();
    }
  }
}
