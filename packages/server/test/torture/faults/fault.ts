import type { PostgresCluster } from '../../support/postgres-cluster.ts';
import type { Fleet } from '../fleet.ts';
import type { RunFiles } from '../journal.ts';
import type { MoodyModel } from '../model.ts';
import type { Organisation } from '../organisation.ts';
import type { Dice } from '../random.ts';
import type { Receivers } from '../receivers.ts';
import type { PlannedFault } from '../schedule.ts';
import type { Senders } from '../senders.ts';

/** All that a fault may be done to. */
export interface World {
  readonly files: RunFiles;
  readonly fleet: Fleet;
  readonly receivers: Receivers;
  readonly model: MoodyModel;
  readonly organisations: readonly Organisation[];
  /** Each is deleted once. */
  readonly doomedOrganisations: readonly Organisation[];
  readonly senders: Senders;
  /** Where events are stored, if that is not a file. */
  readonly storage: ServedStorage | null;
  readonly dice: Dice;
  /** Told of everything that must stand nowhere in the clear. */
  onSecret(name: string, secret: string): void;
  /** One after the other: what is done under one name never overlaps. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Servers of which one takes writes, and a commit waits for one of the others. */
export interface ServedStorage {
  readonly cluster: PostgresCluster;
  readonly database: string;
}

/** Set up, and it may meet nobody. */
interface Trap {
  readonly detail: string;
  /** The file in which the life that meets it writes that down. */
  readonly trace?: string;
  /** How often it was met; asked when all nodes have ended. */
  met(): number;
}

/** Does it and undoes it; answers what exactly was done, or null where there was nothing to do it to. */
export type Fault = (world: World, planned: PlannedFault) => Promise<string | Trap | null>;
