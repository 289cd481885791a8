import type { PipelineDefinition } from '@sluice/contract';
import { messageOf } from '../../core/errors.ts';
import { type JsonObject, parseJson } from '../../core/json/json.ts';
import type { Vault } from '../../core/secrets/vault.ts';
import type { ClaimedEvent, Pipelines, Processing } from '../../core/stores/pipelines.ts';
import { compileGlob } from './glob.ts';
import { openSteps } from './step-secrets.ts';

/** A version of a pipeline with its secrets open, as it is handed to who runs it. */
export interface LoadedPipeline
  extends Pick<PipelineDefinition, 'name' | 'sources' | 'steps' | 'destinations'> {
  readonly id: string;
  readonly version: number;
  /** Why it cannot be run, where that is so. */
  readonly problem?: string;
}

/** What the events of one organisation go through at present. */
export interface OrganisationPipelines {
  readonly pipelines: readonly LoadedPipeline[];
  sourcesOf(event: SourcedEvent): readonly NamedSource[];
}

export type SourcedEvent = Pick<ClaimedEvent, 'sourceId'> & { readonly event: { readonly type: string } };

export interface NamedSource {
  readonly id: string;
  readonly name: string;
}

export interface Definitions {
  of(orgId: string): Promise<OrganisationPipelines>;
  /** A version of any age, also of a pipeline that is gone; null where there is none. */
  version(orgId: string, pipelineId: string, version: number): Promise<LoadedPipeline | null>;
  invalidate(): void;
}

/** The definition as it is stored, its secrets still sealed. */
export type StoredDefinition = Omit<PipelineDefinition, 'enabled'>;

export const readDefinition = (text: string): StoredDefinition =>
  parseJson(text) as JsonObject as unknown as StoredDefinition;

/** Secrets of steps belong to their organisation and pipeline. */
export const stepVault = (vault: Pick<Vault, 'seal' | 'open'>, orgId: string, pipelineId: string) => ({
  seal: (secret: string) => vault.seal(secret, orgId, pipelineId),
  open: (sealed: string) => vault.open(sealed, orgId, pipelineId),
});

const MOST_REMEMBERED = 1_000;

/** Read once and kept in memory, forgotten whenever configuration changes. */
export function createDefinitions(options: {
  readonly storage: Pick<Pipelines, 'readProcessing' | 'findPipelineVersion'>;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  /** False while changes made by other nodes cannot be heard of: then nothing is remembered. */
  mayCache(): boolean;
}): Definitions {
  const { storage, vault, mayCache } = options;
  let known = new Map<string, Promise<OrganisationPipelines>>();
  const versions = new Map<string, LoadedPipeline>();

  const load = (orgId: string, id: string, version: number, definition: string): LoadedPipeline => {
    let known: LoadedPipeline = { id, version, name: id, sources: [], destinations: [], steps: [] };
    try {
      const { name, sources, steps, destinations } = readDefinition(definition);
      known = { ...known, name, sources, destinations };
      return { ...known, steps: openSteps(steps, stepVault(vault, orgId, id).open) };
    } catch (error) {
      // No time will mend it, and the other pipelines of the organisation must not wait for it.
      const reason = messageOf(error);
      return { ...known, problem: `The pipeline or one of its secrets cannot be read: ${reason}` };
    }
  };

  async function read(orgId: string): Promise<OrganisationPipelines> {
    const { sources, pipelines } = await storage.readProcessing(orgId);
    const loaded = pipelines.map(({ id, version, definition }) => load(orgId, id, version, definition));
    return {
      pipelines: loaded,
      sourcesOf: matchSources(sources),
    };
  }

  return {
    of(orgId) {
      const remembered = known.get(orgId);
      if (remembered !== undefined && mayCache()) return remembered;
      const reading = read(orgId);
      const generation = known;
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(orgId, reading);
      reading.catch(() => generation.delete(orgId));
      return reading;
    },
    async version(orgId, pipelineId, version) {
      const name = `${orgId} ${pipelineId} ${version}`;
      const remembered = versions.get(name);
      if (remembered !== undefined) return remembered;
      const found = await storage.findPipelineVersion(orgId, pipelineId, version);
      if (found === null) return null;
      const loaded = load(orgId, pipelineId, version, found.definition);
      if (versions.size >= MOST_REMEMBERED) versions.clear();
      versions.set(name, loaded);
      return loaded;
    },
    invalidate() {
      known = new Map();
    },
  };
}

/**
 * A webhook's events belong to it, also once it is disabled; those of `/v1/ingest` to every enabled sdk source that
 * matches their type. In the order of their names.
 */
function matchSources(sources: Processing['sources']): (event: SourcedEvent) => readonly NamedSource[] {
  const byId = new Map(sources.map(({ id, name }) => [id, { id, name }]));
  const sdk = sources
    .filter(({ kind, enabled }) => kind === 'sdk' && enabled)
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ id, name, match }) => ({ source: { id, name }, matches: compileGlob(match ?? '*') }));
  return ({ sourceId, event }) =>
    sourceId === null
      ? sdk.filter(({ matches }) => matches(event.type)).map(({ source }) => source)
      : [byId.get(sourceId) ?? { id: sourceId, name: sourceId }];
}
