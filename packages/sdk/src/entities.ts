import type { EntityRef } from './event.ts';
import { failureOf, messageOf, request, type Server } from './server.ts';

/** Entities: what is known about customers, devices, orders, and how they belong together. */
export interface Entities {
  /** Makes it, or replaces its traits. */
  put(entity: EntityRef, traits: Traits, condition?: Condition): Promise<Entity>;
  /** Makes each, or merges its traits into those that are there (JSON Merge Patch); all or none, 1,000 at most. */
  upsert(entities: readonly (EntityRef & { readonly traits?: Traits })[]): Promise<Entity[]>;
  /** Merges into the traits of one that exists: `null` removes a trait. */
  patch(entity: EntityRef, traits: Traits, condition?: Condition): Promise<Entity>;
  /** null: there is none. */
  get(entity: EntityRef): Promise<Entity | null>;
  /** All that match, newest change first, fetched page by page as they are asked for. */
  list(filter?: EntityFilter): AsyncIterable<Entity>;
  /** Answers whether there was one. `eraseEvents` also erases the payloads of its events, for good. */
  delete(entity: EntityRef, options?: Condition & { readonly eraseEvents?: boolean }): Promise<boolean>;
  /** `same_as` joins two entities into one identity; any other relation leads from one to the other. */
  link(from: EntityRef, relation: string, to: EntityRef): Promise<EntityLink>;
  /** Answers whether there was such a link. */
  unlink(from: EntityRef, relation: string, to: EntityRef): Promise<boolean>;
  links(entity: EntityRef): AsyncIterable<EntityLink>;
  /** Everything that `same_as` joins it with, and their traits merged; null: there is no such entity. */
  identity(entity: EntityRef): Promise<EntityIdentity | null>;
}

type Traits = Readonly<Record<string, unknown>>;

interface Condition {
  /** Only while it has this version; otherwise the call fails with 409. */
  readonly ifVersion?: number;
}

export interface Entity extends EntityRef {
  readonly traits: Traits;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface EntityFilter {
  readonly kind?: string;
  readonly external_id?: string;
  /** Traits by their path: `{ plan: 'pro', 'address.city': 'Berlin' }`. */
  readonly traits?: Readonly<Record<string, string | number | boolean>>;
  readonly updated_after?: Date | string;
}

export interface EntityLink {
  readonly relation: string;
  readonly from: EntityRef;
  readonly to: EntityRef;
  readonly created_at: string;
}

export interface EntityIdentity {
  readonly members: readonly Entity[];
  readonly traits: Traits;
  /** For each trait the entity that it came from, and when it was written there. */
  readonly provenance: Readonly<Record<string, EntityRef & { readonly updated_at: string }>>;
  readonly truncated: boolean;
}

/** A call that the server refused, or that got no answer. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  constructor(
    message: string,
    /** 0: no answer. */
    readonly status: number,
    readonly code?: string,
    /** The field at fault. */
    readonly path?: string,
  ) {
    super(message);
  }
}

interface Answered<Data> {
  readonly data: Data;
  readonly next_cursor?: string | null;
}

/** A proxy in between may call anything a success. */
function answered<Data>(text: string, status: number): Answered<Data> {
  try {
    return JSON.parse(text);
  } catch {
    throw new SluiceError('The answer is not JSON.', status);
  }
}

export function createEntities(server: Server): Entities {
  async function call<Data>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered<Data>> {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, body: JSON.stringify(body), headers: { ...json, ...headers } };
    const { response, text } = await request(server, path, init).catch((error: unknown) => {
      throw new SluiceError(messageOf(error), 0);
    });
    if (response.ok) return answered(text, response.status);
    const { message, code, path: field } = failureOf(response, text);
    throw new SluiceError(message, response.status, code, field);
  }

  async function* pages<Item>(path: string, query: URLSearchParams): AsyncGenerator<Item> {
    query.set('limit', '100');
    for (;;) {
      const { data, next_cursor: next } = await call<Item[]>('GET', `${path}?${query}`);
      yield* data;
      if (!next) return;
      query.set('cursor', next);
    }
  }

  return {
    put: async (entity, traits, condition) =>
      (await call<Entity>('PUT', pathOf(entity), { traits }, ifMatch(condition))).data,
    upsert: async entities => (await call<Entity[]>('POST', '/v1/entities', { entities })).data,
    patch: async (entity, traits, condition) =>
      (await call<Entity>('PATCH', pathOf(entity), { traits }, ifMatch(condition))).data,
    get: async entity => (await orNull(call<Entity>('GET', pathOf(entity))))?.data ?? null,
    list: ({ traits = {}, updated_after: after, ...filter } = {}) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
      for (const [path, value] of Object.entries(traits)) query.set(`trait.${path}`, String(value));
      if (after !== undefined) query.set('updated_after', new Date(after).toISOString());
      return pages<Entity>('/v1/entities', query);
    },
    delete: async (entity, { eraseEvents = false, ...condition } = {}) => {
      const path = `${pathOf(entity)}${eraseEvents ? '?erase_events=true' : ''}`;
      return (await orNull(call('DELETE', path, undefined, ifMatch(condition)))) !== null;
    },
    link: async (from, relation, to) => (await call<EntityLink>('PUT', linkPath(from, relation, to))).data,
    unlink: async (from, relation, to) =>
      (await orNull(call('DELETE', linkPath(from, relation, to)))) !== null,
    links: entity => pages<EntityLink>(`${pathOf(entity)}/links`, new URLSearchParams()),
    identity: async entity =>
      (await orNull(call<EntityIdentity>('GET', `${pathOf(entity)}/identity`)))?.data ?? null,
  };
}

const pathOf = ({ kind, external_id }: EntityRef): string => `/v1/entities/${segments(kind, external_id)}`;

const linkPath = (from: EntityRef, relation: string, to: EntityRef): string =>
  `${pathOf(from)}/links/${segments(relation, to.kind, to.external_id)}`;

/** URL libraries fold `.` and `..` away, so that another address would be called. */
function segments(...parts: readonly string[]): string {
  const folded = parts.find(part => part === '' || part === '.' || part === '..');
  if (folded !== undefined)
    throw new SluiceError(`"${folded}" cannot name an entity.`, 400, 'validation_failed');
  return parts.map(encodeURIComponent).join('/');
}

const ifMatch = ({ ifVersion }: Condition = {}): Record<string, string> =>
  ifVersion === undefined ? {} : { 'if-match': `"${ifVersion}"` };

const orNull = <Data>(answered: Promise<Data>): Promise<Data | null> =>
  answered.catch((error: unknown) => {
    if (error instanceof SluiceError && error.status === 404) return null;
    throw error;
  });
