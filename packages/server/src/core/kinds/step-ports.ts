import type { EntityRef } from '../event/scope.ts';
import type { OutgoingHttp } from '../http/outgoing.ts';
import type { JsonObject } from '../json/json.ts';

/** What the steps of a pipeline ask of the world, each as narrow as the step that asks. */

/** A key that this event was the first to bring; it counts once the run that claims it is settled. */
export interface DedupeClaim {
  /** Keys are apart by pipeline and by what the key is made of, and outlive the pipeline's versions. */
  readonly scope: string;
  /** SHA-256 of the canonical key. */
  readonly key: string;
  readonly windowMs: number;
}

export interface DedupeStore {
  /** The event that settled this key within its window, or null. Nothing is written here. */
  findClaim(orgId: string, scope: string, key: string, now: number): Promise<string | null>;
}

export type CachedLabel =
  | { readonly kind: 'hit'; readonly label: string }
  /** Nobody knows it yet: the caller is to find out, and to keep or release it within its lease. */
  | { readonly kind: 'claimed' }
  /** Another node is finding out. */
  | { readonly kind: 'busy' };

export interface ClassifyCache {
  claimLabel(orgId: string, key: string, leaseMs: number): Promise<CachedLabel>;
  keepLabel(orgId: string, key: string, label: string): Promise<void>;
  releaseLabel(orgId: string, key: string): Promise<void>;
}

/** How a model is asked: through the guarded client, like everything that goes out. */
export type ModelClient = Pick<OutgoingHttp, 'request'>;

export interface EntityReader {
  /** The traits of that entity, or null where there is none. */
  readTraits(orgId: string, entity: EntityRef): Promise<JsonObject | null>;
}
