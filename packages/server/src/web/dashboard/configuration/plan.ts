import type { AuditAction } from '@sluice/contract/dashboard-audit';
import type {
  AppliedConfiguration,
  ConfigurationItem,
  ConfigurationProblem,
  ConfigurationSort,
  MissingSecret,
} from '@sluice/contract/dashboard-configuration';
import { Problem } from '../../../core/errors.ts';
import { SYSTEM_SOURCE_NAME } from '../../../core/event/system-source.ts';
import { type JsonObject, joinPath } from '../../../core/json/json.ts';
import type { DestinationAdmin } from '../../../core/kinds/destination-admin.ts';
import type { PipelineAdmin } from '../../../core/kinds/pipeline-admin.ts';
import type { ProviderAdmin } from '../../../core/kinds/provider-admin.ts';
import type { Vault } from '../../../core/secrets/vault.ts';
import type { ConfigurationEdit } from '../../../core/stores/configuration/whole.ts';
import { fileSections, type StoredForm, type StoredForms } from './file.ts';
import { byKey } from './keys.ts';
import { planDestination } from './plan-destination.ts';
import { planPipeline, type References } from './plan-pipeline.ts';
import { planSource } from './plan-source.ts';
import type { PlanContext, Planned } from './planned.ts';
import { type FileSection, type ReadFile, seenFrom } from './read-file.ts';

/**
 * What a file would make of a configuration. Everything is checked by the rules of the calls that make and change each
 * thing alone, so that what is shown is what is applied, and what would be refused there is refused here.
 */
export interface ConfigurationPlan {
  readonly items: readonly ConfigurationItem[];
  readonly problems: readonly ConfigurationProblem[];
  readonly missing: readonly MissingSecret[];
  readonly edit: ConfigurationEdit;
  readonly made: AppliedConfiguration['made'];
  readonly records: readonly AuditedEdit[];
}

/** What goes on record of each thing. */
interface AuditedEdit {
  readonly action: AuditAction;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface PlanDependencies {
  readonly providerAdmin: ProviderAdmin;
  readonly destinationAdmin: DestinationAdmin;
  readonly pipelineAdmin: PipelineAdmin;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
}

interface PlanRequest extends Pick<PlanContext, 'orgId' | 'now' | 'isFinal'> {
  readonly file: ReadFile;
  readonly present: StoredForms;
  readonly remove: boolean;
  /** What somebody has entered, by its path in the file. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Whoever has more mistakes than this to correct will look again anyway. */
const MOST_PROBLEMS = 50;

export async function planConfiguration(
  request: PlanRequest,
  dependencies: PlanDependencies,
): Promise<ConfigurationPlan> {
  const { file, present, remove, secrets } = request;
  const items: ConfigurationItem[] = [];
  const problems: ConfigurationProblem[] = [];
  const missing: MissingSecret[] = [];
  const made: AppliedConfiguration['made'][number][] = [];
  const records: AuditedEdit[] = [];
  const edit = {
    sources: { created: [], changed: [], removed: [] },
    destinations: { created: [], changed: [], removed: [] },
    pipelines: { created: [], changed: [], removed: [] },
  } as { [S in FileSection]: { created: object[]; changed: object[]; removed: string[] } };
  const ids = { sources: new Map<string, string>(), destinations: new Map(), pipelines: new Map() };
  if (present.systemSourceId !== null) ids.sources.set(SYSTEM_SOURCE_NAME, present.systemSourceId);
  const { destinationAdmin, pipelineAdmin } = dependencies;

  for (const { sort, section } of fileSections) {
    // What is taken away is known first: nothing may refer to it any more.
    const entries = file.sections[section]?.toSorted(byKey);
    const stored: ReadonlyMap<string, StoredForm<{ readonly id: string; readonly name: string }>> = present[
      section
    ];
    const keys = new Set(entries?.map(([key]) => key));
    for (const [key, { stored: one }] of stored) {
      if (keys.has(key)) continue;
      const isRemoved = remove && entries !== undefined;
      if (!isRemoved) ids[section].set(key, one.id);
      items.push({ sort, key, id: one.id, change: isRemoved ? 'removed' : 'absent', fields: [] });
      if (!isRemoved) continue;
      edit[section].removed.push(one.id);
      records.push({ action: `${sort}.deleted`, target: one.id, details: { name: one.name } });
    }
    for (const entry of entries ?? []) {
      const [key] = entry;
      const id = await planItem(sort, section, entry);
      ids[section].set(key, stored.get(key)?.stored.id ?? id ?? `new ${key}`);
      await othersFirst();
    }
  }
  return {
    items: items.toSorted(inOrder),
    problems,
    missing,
    edit: edit as unknown as ConfigurationEdit,
    made,
    records,
  };

  /** Answers the id of what is to be made. */
  async function planItem(
    sort: ConfigurationSort,
    section: FileSection,
    entry: readonly [string, JsonObject],
  ): Promise<string | null> {
    const [key] = entry;
    const path = joinPath(section, key);
    const id = present[section].get(key)?.stored.id ?? null;
    const context: PlanContext = {
      ...request,
      secretAt: field => secrets.get(`${path}.${field}`),
    };
    try {
      const planned = await plan(section, entry, context);
      for (const mark of file.marks) {
        if (!mark.startsWith(`${path}.`) || planned.marks.some(one => `${path}.${one}` === mark)) continue;
        note(mark, `${mark.slice(path.length + 1)} is not a secret.`);
      }
      items.push({ sort, key, id, change: planned.change, fields: planned.fields });
      for (const one of planned.missing) missing.push({ path: `${path}.${one.field}`, sort, key, ...one });
      return take(sort, section, key, planned);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 400) throw error;
      const seen = seenFrom(path, error);
      note(seen.path, seen.message);
      items.push({ sort, key, id, change: id === null ? 'created' : 'changed', fields: [] });
      return null;
    }
  }

  async function plan(section: FileSection, entry: readonly [string, JsonObject], context: PlanContext) {
    const [key] = entry;
    switch (section) {
      case 'sources':
        return planSource(entry, present.sources.get(key), context, dependencies);
      case 'destinations':
        return planDestination(entry, present.destinations.get(key), context, destinationAdmin);
      case 'pipelines':
        return planPipeline(entry, present.pipelines.get(key), ids as References, context, pipelineAdmin);
    }
  }

  function take(
    sort: ConfigurationSort,
    section: FileSection,
    key: string,
    planned: Planned<{ readonly id: string }, unknown>,
  ): string | null {
    const { edit: one, details } = planned;
    if (one === null) return null;
    const target = one.kind === 'create' ? one.row.id : one.id;
    if (one.kind === 'create') edit[section].created.push(one.row);
    else edit[section].changed.push({ id: one.id, change: one.change });
    records.push({ action: `${sort}.${one.kind === 'create' ? 'created' : 'changed'}`, target, details });
    for (const { field, secret } of planned.made) made.push({ sort, key, id: target, field, secret });
    return target;
  }

  function note(path: string, message: string): void {
    if (problems.length < MOST_PROBLEMS) problems.push(file.problemAt(path, message));
  }
}

/** Checking many at once must not keep anybody else waiting. */
const othersFirst = () => new Promise(resolve => setImmediate(resolve));

const sorts: readonly ConfigurationSort[] = fileSections.map(({ sort }) => sort);

const inOrder = (a: ConfigurationItem, b: ConfigurationItem): number =>
  sorts.indexOf(a.sort) - sorts.indexOf(b.sort) || byKey([a.key, a], [b.key, b]);
