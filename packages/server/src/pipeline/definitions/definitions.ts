import type { PipelineStep } from '@sluice/contract';
import { LRUCache } from 'lru-cache';
import { messageOf } from '../../core/errors.ts';
import { compileGlob } from '../../core/expressions/glob.ts';
import { type JsonObject, parseJson } from '../../core/json/json.ts';
import type { VersionedDefinition } from '../../core/kinds/pipeline-admin.ts';
import type { Vault } from '../../core/secrets/vault.ts';
import type { ChangeListener } from '../../core/stores/change.ts';
import type { Processing } from '../../core/stores/configuration/pipelines.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { ClaimedEvent } from '../../core/stores/event-queue.ts';
import { portKinds } from '../ports/registry.ts';
import { findStepKind } from '../steps/registry.ts';
import { openSteps } from './step-secrets.ts';

/** Definitions of pipelines as the worker uses them: read from storage, unsealed, and cached. */

/** A version of a pipeline with its secrets open, as it is handed to who runs it. */
export interface LoadedPipeline extends VersionedDefinition {
  readonly id: string;
  readonly version: number;
  /** Whether a step may have to wait for a server that is not ours. */
  readonly isRemote: boolean;
  /** Why it cannot be run, where that is so. */
  readonly problem?: string;
}

/** What the events of one organisation go through at present. */
interface OrganisationPipelines {
  readonly pipelines: readonly LoadedPipeline[];
  sourcesOf(event: SourcedEvent): readonly NamedSource[];
}

interface CachedPipelines {
  readonly reading: Promise<OrganisationPipelines>;
  /** Once they are read. */
  atHand: OrganisationPipelines | null;
}

type SourcedEvent = Pick<ClaimedEvent, 'sourceId'> & { readonly event: { readonly type: string } };

export interface NamedSource {
  readonly id: string;
  readonly name: string;
}

export interface Definitions {
  of(orgId: string): Promise<OrganisationPipelines>;
  /** The same where it is at hand, and known to be true; null where it has to be read. */
  known(orgId: string): OrganisationPipelines | null;
  /** A version of any age, also of a pipeline that is gone; null where there is none. */
  version(orgId: string, pipelineId: string, version: number): Promise<LoadedPipeline | null>;
  /** Drops what the change may have made untrue, and what is being read of it at this moment. */
  readonly invalidate: ChangeListener;
}

/** As it is stored, its secrets still sealed. */
export const readDefinition = (text: string): VersionedDefinition =>
  parseJson(text) as JsonObject as unknown as VersionedDefinition;

/** Secrets of steps belong to their organisation, pipeline and field. */
export const stepVault = (vault: Pick<Vault, 'seal' | 'open'>, orgId: string, id: string) => ({
  seal: (secret: string, field: string) => vault.seal(secret, { orgId, id, field }),
  open: (sealed: string, field: string) => vault.open(sealed, { orgId, id, field }),
});

const MOST_ORGANISATIONS = 1_000;
const MOST_VERSIONS = 2_000;

/** The cache of definitions: read once, and kept until the configuration of their organisation changes. */
export function createDefinitions(options: {
  readonly configuration: Pick<ConfigurationStore, 'findPipelineVersion' | 'readProcessing'>;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  /** False while changes made by other nodes cannot be received: then nothing is cached. */
  mayCache(): boolean;
}): Definitions {
  const { configuration, vault, mayCache } = options;
  const organisations = new LRUCache<string, CachedPipelines>({ max: MOST_ORGANISATIONS });
  // A version never changes, so the same object stands for it after every read: threads know it by that.
  const versions = new LRUCache<string, LoadedPipeline>({ max: MOST_VERSIONS });

  function load(orgId: string, id: string, version: number, definition: string): LoadedPipeline {
    const name = versionName(orgId, id, version);
    const loaded = versions.get(name) ?? open(orgId, id, version, definition);
    versions.set(name, loaded);
    return loaded;
  }

  function open(orgId: string, id: string, version: number, definition: string): LoadedPipeline {
    let read: LoadedPipeline = {
      id,
      version,
      name: id,
      sources: [],
      destinations: [],
      steps: [],
      isRemote: false,
    };
    try {
      const { name, sources, steps, destinations } = readDefinition(definition);
      read = { ...read, name, sources, destinations };
      return { ...read, ...ready(openSteps(steps, stepVault(vault, orgId, id).open)) };
    } catch (error) {
      // No time will resolve it, and the other pipelines of the organisation must not wait for it.
      const reason = messageOf(error);
      return { ...read, problem: `The pipeline or one of its secrets cannot be read: ${reason}` };
    }
  }

  async function read(orgId: string): Promise<OrganisationPipelines> {
    const { sources, pipelines } = await configuration.readProcessing(orgId);
    const loaded = pipelines.map(({ id, version, definition }) => load(orgId, id, version, definition));
    return {
      pipelines: loaded,
      sourcesOf: matchSources(sources),
    };
  }

  return {
    of(orgId) {
      const cached = organisations.get(orgId);
      if (cached !== undefined && mayCache()) return cached.reading;
      const fresh: CachedPipelines = { reading: read(orgId), atHand: null };
      organisations.set(orgId, fresh);
      fresh.reading.then(
        pipelines => {
          fresh.atHand = pipelines;
        },
        () => {
          if (organisations.peek(orgId) === fresh) organisations.delete(orgId);
        },
      );
      return fresh.reading;
    },
    known(orgId) {
      return mayCache() ? (organisations.get(orgId)?.atHand ?? null) : null;
    },
    async version(orgId, pipelineId, version) {
      const cached = versions.get(versionName(orgId, pipelineId, version));
      if (cached !== undefined) return cached;
      const found = await configuration.findPipelineVersion(orgId, pipelineId, version);
      return found === null ? null : load(orgId, pipelineId, version, found.definition);
    },
    invalidate(change) {
      if (change === null) organisations.clear();
      else if (change.what !== 'keys') organisations.delete(change.organisationId);
    },
  };
}

const versionName = (orgId: string, pipelineId: string, version: number): string =>
  `${orgId} ${pipelineId} ${version}`;

/** Steps with their secrets open, and what is to be known of them before they are run. */
export const ready = (steps: readonly PipelineStep[]): Pick<LoadedPipeline, 'steps' | 'isRemote'> => ({
  steps: [...steps],
  isRemote: steps.some(({ kind }) => findStepKind(kind)?.needs.some(port => portKinds[port].isRemote)),
});

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
