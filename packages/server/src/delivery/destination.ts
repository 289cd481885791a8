import type { MessagePreview } from '@sluice/contract/dashboard-test-events';
import type { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { type PipelineEvent, type Scope, scopeOf } from '../core/event/scope.ts';
import type { Budget } from '../core/expressions/cel/budget.ts';
import type { AttemptResult } from '../core/http/attempt.ts';
import { type JsonObject, parseJson } from '../core/json/json.ts';
import type { FoundTable, Rotation } from '../core/kinds/destination-admin.ts';
import { defineKind, type Kind } from '../core/kinds/kind.ts';
import type { DestinationAddress } from '../core/stores/configuration/destinations.ts';
import type { DatabaseThread } from './databases/database-thread.ts';
import type { GuardedClient } from './guarded-client/client.ts';
import type { ListenerConnections } from './listeners/connections.ts';

/** A kind of destination: beside what every kind says of itself, how it is checked and how it sends. */
export interface DestinationKind<C extends z.ZodType = z.ZodType> extends Kind<C> {
  /** Reads the configuration for good, its templates too; throws a 400 that points into `config`. */
  prepare(config: z.output<C>, deps: DestinationDeps): Destination;
  /** Compiles what it makes of an event, where it reads into one: that may be done on another thread. */
  composer?(config: z.output<C>): Composer<unknown>;
  /** Asked when it is saved: whether what it names may be reached and fits. Throws a 400 that points into `config`. */
  check?(config: z.output<C>, deps: DestinationDeps): Promise<void>;
  /** Makes the secret that a configuration lacks; null where it lacks none. */
  generateSecret?(config: z.output<C>, owner: DestinationAddress): NewSecret<z.output<C>> | null;
  /**
   * Whether there is a secret of ours to rotate, and until when the one before holds; null where there is none. Asked
   * of what is stored, its secrets sealed.
   */
  rotationOf?(stored: JsonObject): Rotation | null;
  /** A fresh secret; the one before holds until then. Throws a 400 where there is nothing to rotate. */
  rotate?(config: z.output<C>, previousHoldsUntil: number, owner: DestinationAddress): NewSecret<z.output<C>>;
  /** Looks at the table that a configuration names, so that a form can offer its columns. Throws a 400. */
  readColumns?(config: z.output<C>, deps: DestinationDeps): Promise<FoundTable>;
  /** How its messages look, where they are for people. */
  readonly preview?: PreviewKind;
}

interface PreviewKind {
  /** The fields of the configuration that make up a message: a preview needs none of the others. */
  readonly fields: readonly string[];
  /** What the composer has rendered. */
  show(rendered: unknown): MessagePreview;
}

interface NewSecret<Config> {
  readonly config: Config;
  /** To be shown once. */
  readonly secret: string;
}

export const defineDestination = <C extends z.ZodType>(
  kind: Omit<DestinationKind<C>, 'secrets'> & Partial<Pick<DestinationKind<C>, 'secrets'>>,
): DestinationKind<C> => defineKind(kind);

/** A destination that is ready to send: its configuration is read, its templates are compiled. */
export interface Destination {
  /** Whether a template reads the entity's traits, which then have to be at hand. */
  readonly readsTraits: boolean;
  /** Whether it shows, or may show, the link to the event's page. */
  readonly readsLink?: boolean;
  /**
   * Whether there is a way to it from this node now; absent where there always is. While there is none, nothing is
   * claimed for it here.
   */
  isReachable?(): boolean;
  /** Rejects only with `NoLongerWanted`: whatever goes wrong out there is a result. */
  send(delivery: OutgoingDelivery): Promise<AttemptResult>;
  /** Lets go of connections that are kept open. */
  close?(): Promise<void>;
}

/** What destinations ask of the world. */
export interface DestinationDeps {
  readonly client: GuardedClient;
  readonly clock: Clock;
  readonly renderer: TemplateRenderer;
  /** The connections of `sluice listen`. */
  readonly listeners: Pick<ListenerConnections, 'find'>;
  /** Talks to databases, away from everything else. */
  readonly databases: DatabaseThread;
  /** Where our connections come from, for people who have to let them in. */
  readonly egressAddresses: readonly string[];
  /** Certificates to trust in place of those that come with the runtime. */
  readonly ca?: string;
}

/** Reads the payload of a delivery and renders its templates, when it is its turn. */
export interface TemplateRenderer {
  /**
   * A turn may take seconds to come, so whether the delivery is to go out at all is asked again at the end: rejects
   * with `NoLongerWanted` where it is not.
   */
  render<T>(delivery: OutgoingDelivery, recipe: Recipe<T>): Promise<T>;
}

/** What is made of a delivery before it is sent: plain values, and long ones as texts, which go between threads at once. */
export interface Composer<T> {
  /** Whether it reads the entity's traits. */
  readonly readsTraits: boolean;
  /** Asked when it is saved: throws a 400 where a template holds what has a value for no event. */
  check(): void;
  compose(delivery: RenderedDelivery, scope: Scope, budget: Budget): T;
}

/** A composer, and what another thread needs to have the same one. */
export interface Recipe<T> {
  readonly kind: string;
  readonly config: unknown;
  readonly composer: Composer<T>;
}

/** What of a delivery can be read on another thread. */
export type RenderedDelivery = Omit<OutgoingDelivery, 'isStillWanted'>;

/** One event on its way to one destination, as the pipeline left it. */
export interface OutgoingDelivery {
  readonly orgId: string;
  readonly id: string;
  /** Counts on over a retry out of the dead letters. */
  readonly attempt: number;
  readonly event: PipelineEvent;
  /** JSON text: a webhook sends it as it is, and only who reads fields has to parse it. */
  readonly payload: string;
  readonly labels: JsonObject;
  readonly traits: JsonObject | null;
  readonly sourceName: string | null;
  /** To the event's page; null where there is none to show, or nobody reads it. */
  readonly link: string | null;
  /** From connecting to the last byte. */
  readonly timeoutMs: number;
  /** Somebody tries the destination out, to see whether it would arrive: what can be undone is undone. */
  readonly isTest?: true | undefined;
  /** Whether it was not paused, changed or withdrawn meanwhile: to be asked after any wait, before it goes out. */
  isStillWanted(): Promise<boolean>;
}

export const scopeOfDelivery = (delivery: RenderedDelivery): Scope =>
  scopeOf(delivery.event, {
    payload: parseJson(delivery.payload) as JsonObject,
    labels: delivery.labels,
    traits: delivery.traits,
    sourceName: delivery.sourceName,
    link: delivery.link,
  });
