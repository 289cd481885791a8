import { canonicalJson, sha256Hex } from '../../json/canonical.ts';
import type { Json } from '../../json/json.ts';
import type { StoredDestination } from './destinations.ts';
import type { PipelineStore, StoredPipeline } from './pipelines.ts';
import type { Source, SourceChange } from './sources.ts';

/** The sources, destinations and pipelines of an organisation, read and changed together. */
export interface WholeConfiguration {
  readonly sources: readonly Source[];
  readonly destinations: readonly StoredDestination[];
  readonly pipelines: readonly StoredPipeline[];
}

/** What is to be made, changed and removed, all of it or nothing. */
export interface ConfigurationEdit {
  readonly sources: Edit<Source, SourceChange>;
  readonly destinations: Edit<
    StoredDestination,
    Partial<Pick<StoredDestination, 'name' | 'config' | 'policy' | 'paused'>>
  >;
  readonly pipelines: Edit<
    StoredPipeline,
    { readonly enabled: boolean } | Parameters<PipelineStore['savePipeline']>[2]
  >;
}

interface Edit<Made, Change> {
  readonly created: readonly Made[];
  readonly changed: readonly { readonly id: string; readonly change: Change }[];
  readonly removed: readonly string[];
}

export interface WholeConfigurationStore {
  /** All of one moment. */
  readConfiguration(orgId: string): Promise<WholeConfiguration>;
  /**
   * Carries an edit out in one transaction, each part of it as the operation of its own would. Nothing happens where
   * the configuration is not the one of that fingerprint any more.
   */
  editConfiguration(
    orgId: string,
    edit: ConfigurationEdit,
    expected: string,
    by: string,
    at: number,
  ): Promise<'saved' | 'changed_meanwhile'>;
}

/** Stands for everything that people have set up, and for nothing that happens by itself. */
export const fingerprintOf = ({ sources, destinations, pipelines }: WholeConfiguration): string =>
  sha256Hex(
    canonicalJson([
      sources.map(({ lastEventAt: _, ...source }) => source),
      destinations.map(
        ({ breaker: _b, listenerToken: _l, formerPolicies: _f, ...destination }) => destination,
      ),
      pipelines,
    ] as unknown as Json),
  );
