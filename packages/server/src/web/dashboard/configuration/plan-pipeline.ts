import { pipelineDefinition } from '@sluice/contract';
import { invalid } from '../../../core/errors.ts';
import { validate } from '../../../core/http/validate.ts';
import { newId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { PipelineAdmin } from '../../../core/kinds/pipeline-admin.ts';
import type { StoredPipeline } from '../../../core/stores/configuration/pipelines.ts';
import type { ConfigurationEdit } from '../../../core/stores/configuration/whole.ts';
import { fieldChanges } from './difference.ts';
import type { StoredForm } from './file.ts';
import { readPipelineForm, showPipelineForm } from './forms.ts';
import { asMissing, type PlanContext, type Planned, unchanged, withSecrets } from './planned.ts';

/** What becomes of a pipeline of a file. */

/** The ids of sources and destinations by their keys, as they will be. */
export interface References {
  readonly sources: ReadonlyMap<string, string>;
  readonly destinations: ReadonlyMap<string, string>;
}

type PipelineEdit = ConfigurationEdit['pipelines']['changed'][number]['change'];

export async function planPipeline(
  [key, given]: readonly [string, JsonObject],
  before: StoredForm<StoredPipeline> | undefined,
  references: References,
  context: PlanContext,
  pipelineAdmin: Pick<PipelineAdmin, 'accept' | 'readPortable'>,
): Promise<Planned<StoredPipeline, PipelineEdit>> {
  const form = readPipelineForm(key, given);
  const { name, enabled } = form;
  const { orgId, now } = context;
  const stored = before?.stored ?? null;
  const sources = form.sources.map((one, i) => idOf(references.sources, 'source', one, `sources[${i}]`));
  const destinations = form.destinations.map(({ name: one, when }, i) => ({
    id: idOf(references.destinations, 'destination', one, `destinations[${i}].name`),
    ...(when === undefined ? {} : { when }),
  }));
  const portable = pipelineAdmin.readPortable({ orgId, steps: form.steps, stored });
  const { marks } = portable;
  const fields = before === undefined ? [] : fieldChanges(before.form, showPipelineForm(key, form));
  if (before !== undefined && fields.length === 0) return { ...unchanged, marks };
  const change = stored === null ? 'created' : 'changed';

  if (stored !== null && fields.every(({ path }) => path === 'enabled')) {
    const edit = { kind: 'change', id: stored.id, change: { enabled } } as const;
    return { change, fields, missing: [], marks, edit, made: [], details: { enabled } };
  }
  const head = { change, fields, missing: asMissing(portable), marks, made: [] } as const;
  const whole = withSecrets({ steps: form.steps as unknown as JsonObject[] }, portable, context);
  if (whole === null) return { ...head, edit: null, details: {} };

  const { enabled: _enabled, ...definition } = validate(pipelineDefinition, {
    name,
    enabled,
    sources,
    steps: whole.steps,
    destinations,
  });
  const id = stored?.id ?? newId('pipe', now);
  const accepted = await pipelineAdmin.accept({
    orgId,
    id,
    given: definition,
    stored,
    sourceIds: [...references.sources.values()],
    destinationIds: [...references.destinations.values()],
  });
  if (stored === null) {
    const row = {
      id,
      orgId,
      name,
      enabled,
      version: 1,
      definition: accepted,
      createdAt: now,
      updatedAt: now,
    };
    return { ...head, edit: { kind: 'create', row }, details: { name, enabled } };
  }
  const saved = {
    from: stored.version,
    name,
    definition: accepted,
    ...(stored.enabled === enabled ? {} : { enabled }),
  };
  const changed = [...new Set(fields.map(({ path }) => path.split(/[.[]/)[0]))];
  return {
    ...head,
    edit: { kind: 'change', id, change: saved },
    details: { version: stored.version + 1, changed },
  };
}

function idOf(ids: ReadonlyMap<string, string>, what: string, key: string, path: string): string {
  const id = ids.get(key);
  if (id === undefined) throw invalid(path, `${path}: there is no ${what} ${key}.`);
  return id;
}
