import type { PipelineRecord, PipelineVersionRecord } from '@sluice/contract/dashboard-pipelines';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { invalid, Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type {
  DefinitionInput,
  PipelineAdmin,
  VersionedDefinition,
} from '../../../core/kinds/pipeline-admin.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { PipelineVersion, StoredPipeline } from '../../../core/stores/configuration/pipelines.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { CounterStore } from '../../../core/stores/counters.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { newestFirst, showKind } from '../records.ts';

/** Pipelines and their versions. Secrets of steps are shown as set, and kept when that is sent back. */
export function pipelineCalls(
  calls: Calls,
  {
    configuration,
    counters,
    pipelineAdmin,
    clock,
  }: {
    readonly configuration: Pick<
      ConfigurationStore,
      | 'audited'
      | 'findPipeline'
      | 'findPipelineVersion'
      | 'listDestinations'
      | 'listPipelineVersions'
      | 'listPipelines'
      | 'listSources'
    >;
    readonly counters: Pick<CounterStore, 'readTallies'>;
    readonly pipelineAdmin: Pick<PipelineAdmin, 'accept' | 'kinds' | 'show'>;
    readonly clock: Clock;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<StoredPipeline> {
    const pipeline = await configuration.findPipeline(session.orgId, param('id'));
    if (pipeline === null) throw new Problem('not_found');
    return pipeline;
  }

  async function accept(
    orgId: string,
    id: string,
    given: VersionedDefinition,
    stored: DefinitionInput['stored'],
  ) {
    const [sources, destinations] = await Promise.all([
      configuration.listSources(orgId),
      configuration.listDestinations(orgId),
    ]);
    const ids = (rows: readonly { readonly id: string }[]) => rows.map(row => row.id);
    return pipelineAdmin.accept({
      orgId,
      id,
      given,
      stored,
      sourceIds: ids(sources),
      destinationIds: ids(destinations),
    });
  }

  /** The next version, unless somebody else has just made it. */
  async function save(
    { orgId, id, version }: StoredPipeline,
    change: {
      readonly name: string;
      readonly definition: string;
      readonly enabled?: boolean;
      readonly note: string | null;
    },
    record: AuditEntry,
  ) {
    const next = { from: version, ...change };
    const saved = await configuration
      .audited(record)
      .savePipeline(orgId, id, next, record.actor, clock.now());
    if (saved === 'not_found') throw new Problem('not_found');
    if (saved === 'changed_meanwhile') throw new Problem('version_conflict');
  }

  const show = (pipeline: StoredPipeline): PipelineRecord => ({
    id: pipeline.id,
    enabled: pipeline.enabled,
    version: pipeline.version,
    ...shownDefinition(pipelineAdmin.show(pipeline.definition)),
    created_at: toRfc3339(pipeline.createdAt),
    updated_at: toRfc3339(pipeline.updatedAt),
  });

  calls.on('GET /kinds/steps', 'read', async call => call.answer(pipelineAdmin.kinds().map(showKind)));

  calls.on('GET /pipelines', 'read', async call => {
    const page = call.page('pipelines', call.query());
    const { rows, next } = pageOf(await configuration.listPipelines(call.session.orgId), newestFirst, page);
    return page.answer(rows.map(show), next);
  });

  calls.on('POST /pipelines', 'pipelines.change', async call => {
    const { enabled, clone_of, note, ...given } = await call.body();
    const { orgId, email } = call.session;
    const original = clone_of === undefined ? null : await configuration.findPipeline(orgId, clone_of);
    if (clone_of !== undefined && original === null) throw new Problem('not_found');
    const now = clock.now();
    const id = newId('pipe', now);
    const definition = await accept(orgId, id, given, original);
    const pipeline: StoredPipeline = {
      id,
      orgId,
      name: given.name,
      enabled,
      version: 1,
      definition,
      createdAt: now,
      updatedAt: now,
    };
    const record = call.record('pipeline.created', id, {
      name: given.name,
      enabled,
      clone_of,
      note: note || undefined,
    });
    await configuration.audited(record).createPipeline(pipeline, email, note || null);
    return call.answer(show(pipeline), 201);
  });

  calls.on('GET /pipelines/:id', 'read', async call => {
    const pipeline = await find(call);
    const tallies = await counters.readTallies(pipeline.orgId, pipeline.id);
    return call.answer({ ...show(pipeline), classify: tallies });
  });

  calls.on('PATCH /pipelines/:id', 'pipelines.change', async call => {
    const pipeline = await find(call);
    const { enabled, note, ...change } = await call.body();
    if (Object.keys(change).length === 0) {
      if (note) throw invalid('note', 'note can only be set when the change creates a new version.');
      if (enabled === undefined) return call.answer(show(pipeline));
      const record = call.record('pipeline.changed', pipeline.id, { enabled });
      await configuration.audited(record).enablePipeline(pipeline.orgId, pipeline.id, enabled, clock.now());
      return call.answer(show(await find(call)));
    }
    // As it is shown, secrets as set: what is not changed is kept.
    const given = { ...pipelineAdmin.show(pipeline.definition), ...change };
    const definition = await accept(pipeline.orgId, pipeline.id, given, pipeline);
    const version = pipeline.version + 1;
    await save(
      pipeline,
      { name: given.name, definition, note: note || null, ...(enabled === undefined ? {} : { enabled }) },
      call.record('pipeline.changed', pipeline.id, {
        version,
        changed: Object.keys(change),
        enabled,
        note: note || undefined,
      }),
    );
    return call.answer(show(await find(call)));
  });

  calls.on('DELETE /pipelines/:id', 'pipelines.change', async call => {
    const { orgId, id, name } = await find(call);
    const changes = configuration.audited(call.record('pipeline.deleted', id, { name }));
    if (!(await changes.deletePipeline(orgId, id))) throw new Problem('not_found');
    return call.answer({ id, deleted: true });
  });

  calls.on('GET /pipelines/:id/versions', 'read', async call => {
    const { orgId, id } = await find(call);
    const page = call.page(`versions ${id}`, call.query());
    const versions = await configuration.listPipelineVersions(orgId, id);
    const { rows, next } = pageOf(versions, newestVersionFirst, page);
    return page.answer(
      rows.map(version => showVersion(version, pipelineAdmin)),
      next,
    );
  });

  calls.on('POST /pipelines/:id/rollback', 'pipelines.change', async call => {
    const pipeline = await find(call);
    const { version } = await call.body();
    const { orgId, id } = pipeline;
    const target = await configuration.findPipelineVersion(orgId, id, version);
    if (target === null) throw invalid('version', `version: there is no version ${version}.`);
    const given = pipelineAdmin.show(target.definition);
    const definition = await accept(orgId, id, given, { id, definition: target.definition });
    const record = call.record('pipeline.rolled_back', id, { to: version, version: pipeline.version + 1 });
    await save(pipeline, { name: given.name, definition, note: `Restores version ${version}` }, record);
    return call.answer(show(await find(call)));
  });

  calls.on('POST /pipelines/:id/notes', 'pipelines.change', async call => {
    const { orgId, id } = await find(call);
    const { version, note } = await call.body();
    const record = call.record('pipeline.noted', id, { version, note });
    const changes = configuration.audited(record);
    const isNoted = await changes.notePipelineVersion(orgId, id, version, note || null);
    const noted = await configuration.findPipelineVersion(orgId, id, version);
    if (!isNoted || noted === null) throw invalid('version', `version: there is no version ${version}.`);
    return call.answer(showVersion(noted, pipelineAdmin));
  });
}

const shownDefinition = ({ name, sources, steps, destinations }: VersionedDefinition) => ({
  name,
  sources,
  steps,
  destinations,
});

const showVersion = (
  { version, definition, createdBy, createdAt, note }: PipelineVersion,
  pipelineAdmin: Pick<PipelineAdmin, 'show'>,
): PipelineVersionRecord => ({
  version,
  ...shownDefinition(pipelineAdmin.show(definition)),
  created_by: createdBy,
  created_at: toRfc3339(createdAt),
  note,
});

const newestVersionFirst = {
  keyOf: ({ version }: { readonly version: number }) => String(version).padStart(12, '0'),
  direction: 'descending',
} as const;
