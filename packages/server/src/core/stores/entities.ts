import type { EntityState, EntityWrite, IfMatch, Refusal } from '../entities/write.ts';
import type { EventState } from '../event/event.ts';
import type { EntityRef } from '../event/scope.ts';
import type { Path } from '../expressions/path.ts';
import type { JsonObject } from '../json/json.ts';
import type { AuditEntry, Audited } from './configuration/audit.ts';

/** Entities as they are stored: traits, links, and the events that name them. */

export interface StoredEntity {
  readonly kind: string;
  readonly externalId: string;
  /** JSON text. */
  readonly traits: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** With when each top-level trait was last written, as JSON text of microseconds. */
export type TimedEntity = StoredEntity & Pick<EntityState, 'traitTimes'>;

/** One call's writes: all of them happen, in order, or none does. */
export interface EntityWriteRequest {
  readonly orgId: string;
  readonly writes: readonly EntityWrite[];
  /** What goes on record with it, in the same transaction; nothing where it is refused. */
  readonly records?: readonly AuditEntry[];
}

export type EntityWriteResult =
  | { readonly kind: 'written'; readonly entities: readonly StoredEntity[] }
  /** The position of the write that was refused. */
  | { readonly kind: 'refused'; readonly index: number; readonly reason: Refusal };

export interface TraitFilter {
  readonly path: Path;
  /** Equal to a string, or to the text of a number or a boolean. */
  readonly text: string;
}

export interface EntityFilter {
  readonly kind?: string | undefined;
  readonly externalId?: string | undefined;
  readonly traits?: readonly TraitFilter[];
  /** Exclusive, in milliseconds. */
  readonly updatedAfter?: number | undefined;
}

export interface EntityPage {
  readonly entities: readonly StoredEntity[];
  /** Go on from here; null at the end. A page may be short, or empty, and still not be the last. */
  readonly next: string | null;
}

export interface PageRequest {
  readonly limit: number;
  /** Where the page before ended; null at the beginning. */
  readonly position: string | null;
}

export interface EntityLink {
  readonly relation: string;
  readonly from: EntityRef;
  readonly to: EntityRef;
  readonly createdAt: number;
}

export type NewLink = Omit<EntityLink, 'createdAt'>;

export interface EntityGraph {
  readonly nodes: readonly StoredEntity[];
  readonly edges: readonly EntityLink[];
  readonly truncated: boolean;
}

export interface IdentityMembers {
  readonly members: readonly TimedEntity[];
  readonly truncated: boolean;
}

/** An event of an entity. */
export interface EventOfEntity {
  readonly id: string;
  readonly type: string;
  readonly icon: string | null;
  /** JSON text; null once it was erased. */
  readonly payload: string | null;
  readonly state: EventState;
  readonly entity: EntityRef;
  readonly happenedAt: number;
  readonly receivedAt: number;
  readonly erasedAt: number | null;
}

/** The identity graph: entities, their links, and the events of each. */
export interface EntityStore
  extends Audited<Pick<EntityStore, 'deleteEntity' | 'linkEntities' | 'unlinkEntities'>> {
  /** One result per request, in order; requests of one call are independent of each other. */
  writeEntities(requests: readonly EntityWriteRequest[]): Promise<EntityWriteResult[]>;
  findEntity(orgId: string, entity: EntityRef): Promise<TimedEntity | null>;
  /** Those whose external id begins so, in its order. */
  findEntitiesByPrefix(orgId: string, prefix: string, limit: number): Promise<readonly EntityRef[]>;
  /** The traits of each as JSON text, in order; null where there is no such entity. */
  findTraits(orgId: string, entities: readonly EntityRef[]): Promise<(string | null)[]>;
  /** Newest change first. What no index answers is searched for until the budget is spent. */
  listEntities(
    orgId: string,
    filter: EntityFilter,
    page: PageRequest & { readonly budgetMs: number },
  ): Promise<EntityPage>;
  /** Its links go with it. */
  deleteEntity(
    orgId: string,
    entity: EntityRef,
    ifMatch: IfMatch,
  ): Promise<'deleted' | 'not_found' | 'version_conflict'>;
  /** Indexes at most `limit` entities under the organisation's present searchable traits; answers how many. */
  reindexEntities(orgId: string, limit: number): Promise<number>;

  /** The link as it stands, and whether it is new; null where an end is missing. */
  linkEntities(orgId: string, link: NewLink, at: number): Promise<{ link: EntityLink; made: boolean } | null>;
  unlinkEntities(orgId: string, link: NewLink): Promise<boolean>;
  /** Null where there is no such entity. */
  listEntityLinks(
    orgId: string,
    entity: EntityRef,
    direction: 'in' | 'out' | null,
    page: PageRequest,
  ): Promise<{ links: readonly EntityLink[]; next: string | null } | null>;
  findEntityGraph(orgId: string, entity: EntityRef, depth: number): Promise<EntityGraph | null>;
  /** Everything that `same_as` joins to it, itself included. */
  findIdentityMembers(orgId: string, entity: EntityRef): Promise<IdentityMembers | null>;

  /** Newest first. A page ends early where its payloads grow large. */
  listEventsOfEntity(
    orgId: string,
    entities: readonly EntityRef[],
    page: PageRequest,
  ): Promise<{ events: readonly EventOfEntity[]; next: string | null }>;
  /**
   * Puts tombstones in place of the payloads of at most `limit` events of the entity, oldest first from after
   * `after`, and cancels what of them is pending. Answers how many were erased and the last one looked at; null at
   * the end.
   */
  eraseEventsOfEntity(
    orgId: string,
    entity: EntityRef,
    page: { readonly after: string | null; readonly limit: number; readonly at: number },
  ): Promise<ErasedSlice>;
}

/** What became of one slice of an entity's events that were erased. */
export interface ErasedSlice {
  readonly erased: number;
  /** Those of them that had not been processed, and will not be. */
  readonly dropped: readonly string[];
  /** How many deliveries of theirs were cancelled. */
  readonly cancelled: number;
  /** Where to go on; null at the end. */
  readonly last: string | null;
}

export interface Identity extends IdentityMembers {
  readonly traits: JsonObject;
  /** For each trait, by name, where its value came from. */
  readonly provenance: readonly {
    readonly trait: string;
    readonly entity: EntityRef;
    readonly updatedAt: number;
  }[];
}

/** A write that has no place in the order of changes yet. */
export type EntityInput = Omit<EntityWrite, 'changed'>;

/** What the web asks of the entities themselves. */
export interface EntityActions {
  /** All of it or nothing; resolves once it is on stable storage. */
  write(
    orgId: string,
    writes: readonly EntityInput[],
    records?: readonly AuditEntry[],
  ): Promise<EntityWriteResult>;
  /** Throws a 404 or a 409. With `eraseEvents`, every payload is gone before the entity is. */
  remove(
    orgId: string,
    entity: EntityRef,
    input: {
      readonly ifMatch: IfMatch;
      readonly eraseEvents: boolean;
      /** What goes on record with it, now that so many events were erased; null: nothing. */
      record(erasedEvents: number): AuditEntry | null;
    },
  ): Promise<{ readonly erasedEvents: number }>;
  identityOf(orgId: string, entity: EntityRef): Promise<Identity | null>;
}
