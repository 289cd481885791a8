import type { AccountStore } from './accounts.ts';
import type { AlertStore } from './alerts.ts';
import type { ChangeListener, WorkKind } from './change.ts';
import type { ConfigurationStore } from './configuration.ts';
import type { CounterStore } from './counters.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import type { EntityStore } from './entities.ts';
import type { EventQueue } from './event-queue.ts';
import type { JobStore } from './jobs.ts';
import type { Journal } from './journal.ts';
import type { UpkeepStore } from './upkeep.ts';

/**
 * What storage offers, a store for each concern. Each method is one named operation in one transaction: it either
 * happened and is on disk, or it did not happen. Both engines pass `test/contract/storage`; a store on another
 * engine takes the place of its field: `{ ...postgres, journal: other }`.
 */
export interface Stores {
  readonly accounts: AccountStore;
  readonly configuration: ConfigurationStore;
  readonly journal: Journal;
  readonly eventQueue: EventQueue;
  readonly deliveryQueue: DeliveryQueue;
  readonly entities: EntityStore;
  readonly jobs: JobStore;
  readonly counters: CounterStore;
  readonly upkeep: UpkeepStore;
  readonly alerts: AlertStore;
}

/** Stores that can be opened, closed and asked how they are. */
export interface StorageEngine extends Stores {
  readonly capabilities: EngineCapabilities;
  /** Rejects with the reason while storage cannot be written. */
  checkWritable(): Promise<void>;
  /** What it is, how much it holds, and how much room is left where that can be known. */
  measure(): Promise<StorageSize>;
  /** Which server is written to, and who follows it; null where storage is a file of this machine. */
  replication(): Promise<Replication | null>;
  /** Calls back with each change of configuration, by this node or another. */
  onConfigurationChanged(listener: ChangeListener): void;
  /** Whether configuration read a moment ago may be trusted: false while changes elsewhere cannot be received. */
  changeFeedIsLive(): boolean;
  /** Says to the other nodes that there is work for them. It costs little, comes soon, and may be lost. */
  hintAtWork(what: WorkKind): void;
  /** Calls back with each hint, this node's own included. */
  onWorkHinted(listener: (what: WorkKind) => void): void;
  close(): Promise<void>;
}

/** What differs between engines, for whoever has to know. */
export interface EngineCapabilities {
  /** Several nodes may work on it at once; otherwise whatever is claimed at a start was left by a former life. */
  readonly isShared: boolean;
  /** `sluice backup` can copy it while it runs. */
  readonly canBackUp: boolean;
  /** When the queue sees what the journal has accepted. */
  readonly appendIsVisible: 'at once' | 'soon';
}

export interface Replication {
  /** Where the primary was found, as the URL names it. */
  readonly primary: string;
  readonly version: string;
  /** Whom the service signs in as. */
  readonly role: string;
  /** So many standbys have what is committed before that is answered. */
  readonly waitsFor: number;
  /** So many follow the primary. */
  readonly connected: number;
  /** Null where the role may not see how they do. */
  readonly standbys: readonly Standby[] | null;
}

export interface Standby {
  readonly name: string;
  /** Null where it is on the same machine, without a network between. */
  readonly address: string | null;
  /** `streaming` where all is well. */
  readonly state: string;
  /** A commit may be waiting for this one. */
  readonly isInQuorum: boolean;
  /** What the primary has on its disk and this one has not; null where that is not known yet. */
  readonly behindBytes: number | null;
  /** How long it took to show what was committed last; null once it has shown everything. */
  readonly behindMs: number | null;
}

export interface StorageSize {
  readonly engine: 'sqlite' | 'postgres';
  readonly bytes: number;
  readonly freeBytes: number | null;
}
