import type { MessagePreview } from '@sluice/contract/dashboard-test-events';
import type { PipelineEvent } from '../event/scope.ts';
import type { AttemptResult } from '../http/attempt.ts';
import type { JsonObject } from '../json/json.ts';
import type { StoredDestination } from '../stores/configuration/destinations.ts';
import type { KindDescription } from './kind.ts';
import type { PortableSecrets } from './portable.ts';

/**
 * Where destinations are made and changed: a configuration as somebody sends it becomes one that is checked and
 * sealed, and a stored one becomes something to show or to test.
 */
export interface DestinationAdmin {
  kinds(): DestinationKindDescription[];
  /** Checks it, also against the world; answers it sealed, with the secret that was made where one was lacking. */
  accept(input: ConfigInput): Promise<SealedConfig>;
  /** The configuration with its secrets masked. */
  show(destination: StoredDestination): JsonObject;
  /** The same without what the service writes itself, as a file has it. */
  showPortable(destination: StoredDestination): JsonObject;
  /** A configuration out of a file, completed by what is kept of the stored one; a 400 where a secret is written there. */
  readPortable(input: ConfigInput): PortableConfig;
  /** Null where it has no secret of ours that could be rotated. */
  rotationOf(destination: StoredDestination): Rotation | null;
  rotate(destination: StoredDestination, previousHoldsUntil: number): SealedConfig;
  /** The table that a configuration names, which need not be saved yet. */
  readColumns(input: ConfigInput): Promise<FoundTable>;
  /** When one that is down is probed next, where the first of what waits is due then; null where nothing waits. */
  nextProbeAt(destination: StoredDestination, firstDueAt: number | null): number | null;
  /** Sends an event by the way that deliveries go, and leaves nothing behind where that can be undone. */
  test(destination: StoredDestination, tried: TriedEvent): Promise<AttemptResult>;
  /** The message that would be sent. It takes no more of the configuration than makes up a message. */
  preview(draft: Pick<ConfigInput, 'orgId' | 'kind' | 'config'>, tried: TriedEvent): Promise<MessagePreview>;
}

interface DestinationKindDescription extends KindDescription {
  /** Where connections come from, for people who have to let them in. */
  readonly egress_addresses: readonly string[];
  readonly has_preview: boolean;
}

/** An event that is tried at a destination. */
export interface TriedEvent {
  readonly event: PipelineEvent;
  /** JSON text. */
  readonly payload: string;
  readonly labels: JsonObject;
  readonly traits: JsonObject | null;
  readonly sourceName: string | null;
  /** To the page that its message leads to. */
  readonly link: string | null;
}

export interface ConfigInput {
  readonly orgId: string;
  readonly id: string;
  readonly kind: string;
  readonly config: JsonObject;
  /** What is there already, whose secrets may be kept. */
  readonly stored: StoredDestination | null;
}

interface PortableConfig extends PortableSecrets {
  readonly config: JsonObject;
  /** As the file that is made of it would have it. */
  readonly shown: JsonObject;
}

interface SealedConfig {
  /** JSON text. */
  readonly config: string;
  /** To be shown once. */
  readonly secret: string | null;
}

export interface Rotation {
  readonly previousHoldsUntil: number | null;
}

export interface FoundTable {
  readonly table: string;
  readonly exists: boolean;
  readonly mayInsert: boolean;
  readonly columns: readonly FoundColumn[];
  /** What holds where nobody maps columns. */
  readonly defaultColumns: Readonly<Record<string, string>>;
  /** Makes a table that the default mapping fits; for people to paste. */
  readonly ddl: string;
}

interface FoundColumn {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly isGenerated: boolean;
  /** Alone in a unique index: what comes twice makes no second row. */
  readonly isUnique: boolean;
}
