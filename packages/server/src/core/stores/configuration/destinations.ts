import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';

export interface StoredDestination {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
  readonly name: string;
  /** JSON text of the configuration, its secrets sealed. */
  readonly config: string;
  readonly policy: DeliveryPolicy;
  readonly paused: boolean;
  readonly breaker: StoredBreaker;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface StoredBreaker {
  readonly failuresInARow: number;
  readonly openedAt: number | null;
  readonly nextProbeAt: number | null;
}

/** Where events go, and how well each destination is. */
export interface DestinationStore {
  createDestination(destination: StoredDestination): Promise<void>;
  listDestinations(orgId: string): Promise<StoredDestination[]>;
  findDestination(orgId: string, id: string): Promise<StoredDestination | null>;
  /** One that goes on after a pause is tried at once, also where it was down. */
  updateDestination(
    orgId: string,
    id: string,
    change: Partial<Pick<StoredDestination, 'name' | 'config' | 'policy' | 'paused'>>,
    at: number,
  ): Promise<boolean>;
  /** Takes it out of its pipelines, each in a new version. Its open deliveries are cancelled from then on. */
  deleteDestination(orgId: string, id: string, by: string, at: number): Promise<boolean>;
  saveBreaker(orgId: string, id: string, breaker: StoredBreaker): Promise<void>;
}
