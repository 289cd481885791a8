import type { AccountStore } from './accounts.ts';
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
}

/** Stores that can be opened, closed and asked how they are. */
export interface StorageEngine extends Stores {
  readonly capabilities: EngineCapabilities;
  /** Rejects with the reason while storage cannot be written. */
  checkWritable(): Promise<void>;
  /** What it is, how much it holds, and how much room is left where that can be known. */
  measure(): Promise<StorageSize>;
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

export interface StorageSize {
  readonly engine: 'sqlite' | 'postgres';
  readonly bytes: number;
  readonly freeBytes: number | null;
}
