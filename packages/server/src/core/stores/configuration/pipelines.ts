import type { Source } from './sources.ts';

/** Pipelines as they are stored, and the store that keeps them. */

export interface StoredPipeline {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  /** JSON text of the definition, its secrets sealed. */
  readonly definition: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Never changed once it is made, but for its note; outlives its pipeline, as the runs of it do. */
export interface PipelineVersion {
  readonly pipelineId: string;
  readonly version: number;
  readonly definition: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Why it was made, in somebody's words; null where nobody said. */
  readonly note: string | null;
}

/** What the events of an organisation are processed by. */
export interface Processing {
  readonly sources: readonly {
    readonly id: string;
    readonly kind: Source['kind'];
    readonly name: string;
    readonly enabled: boolean;
    /** An exact event type or a glob; null where it is no sdk source. */
    readonly match: string | null;
  }[];
  /** Those that are enabled. */
  readonly pipelines: readonly StoredPipeline[];
}

/** Definitions of pipelines, every version of them. */
export interface PipelineStore {
  createPipeline(pipeline: StoredPipeline, by: string, note?: string | null): Promise<void>;
  listPipelines(orgId: string): Promise<StoredPipeline[]>;
  findPipeline(orgId: string, id: string): Promise<StoredPipeline | null>;
  /** Makes the version after `from`, unless somebody else has made it meanwhile. */
  savePipeline(
    orgId: string,
    id: string,
    save: {
      readonly from: number;
      readonly name: string;
      readonly definition: string;
      readonly enabled?: boolean;
      readonly note?: string | null;
    },
    by: string,
    at: number,
  ): Promise<'saved' | 'changed_meanwhile' | 'not_found'>;
  /** Null removes it. False where there is no such version. */
  notePipelineVersion(orgId: string, id: string, version: number, note: string | null): Promise<boolean>;
  enablePipeline(orgId: string, id: string, enabled: boolean, at: number): Promise<boolean>;
  deletePipeline(orgId: string, id: string): Promise<boolean>;
  /** Newest first. */
  listPipelineVersions(orgId: string, id: string): Promise<PipelineVersion[]>;
  findPipelineVersion(orgId: string, id: string, version: number): Promise<PipelineVersion | null>;
  readProcessing(orgId: string): Promise<Processing>;
}
