import type { Server } from './post.ts';

/** Entities: what is known about customers, devices, orders, and how they belong together. */
export interface Entity {
  readonly kind: string;
  readonly external_id: string;
  readonly traits: Readonly<Record<string, unknown>>;
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

type Traits = Readonly<Record<string, unknown>>;

interface Condition {
  /** Only if it has this version still. */
  readonly ifVersion?: number;
}

export interface Entities {
  /** Makes it, or replaces its traits. */
  put(kind: string, externalId: string, traits: Traits, condition?: Condition): Promise<Entity>;
  /** Makes each, or merges its traits into those that are there (JSON Merge Patch); all or none, 1,000 at most. */
  upsert(entities: readonly { kind: string; external_id: string; traits?: Traits }[]): Promise<Entity[]>;
  /** null: there is none. */
  get(kind: string, externalId: string): Promise<Entity | null>;
  /** Merges into the traits of one that exists. */
  patch(kind: string, externalId: string, traits: Traits, condition?: Condition): Promise<Entity>;
  /** Answers whether there was one. */
  delete(kind: string, externalId: string, options?: Condition & { eraseEvents?: boolean }): Promise<boolean>;
  /** All that match, newest change first, fetched page by page as they are asked for. */
  list(filter?: EntityFilter): AsyncIterable<Entity>;
}

/** A call that the server refused, or that never reached it. */
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

export function createEntities(server: Server): Entities {
  const address = (kind: string, externalId: string) =>
    `/v1/entities/${encodeURIComponent(kind)}/${encodeURIComponent(externalId)}`;
  const onlyIf = ({ ifVersion }: Condition = {}): Record<string, string> =>
    ifVersion === undefined ? {} : { 'if-match': `"${ifVersion}"` };

  async function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await server
      .fetch(server.url + path, {
        method,
        headers: {
          authorization: `Bearer ${server.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(server.timeoutMs),
      })
      .catch((error: unknown) => {
        throw new SluiceError(error instanceof Error ? error.message : String(error), 0);
      });
    const answer = (await response.json().catch(() => ({}))) as {
      data?: T;
      next_cursor?: string | null;
      error?: { message?: string; code?: string; path?: string };
    };
    if (response.ok) return { data: answer.data as T, next_cursor: answer.next_cursor ?? null };
    const { message = `The answer was ${response.status}.`, code, path: field } = answer.error ?? {};
    throw new SluiceError(message, response.status, code, field);
  }

  const orNone = (error: unknown): null => {
    if (error instanceof SluiceError && error.status === 404) return null;
    throw error;
  };

  return {
    put: async (kind, id, traits, condition) =>
      (await call<Entity>('PUT', address(kind, id), { traits }, onlyIf(condition))).data,
    upsert: async entities => (await call<Entity[]>('POST', '/v1/entities', { entities })).data,
    get: async (kind, id) => (await call<Entity>('GET', address(kind, id)).catch(orNone))?.data ?? null,
    patch: async (kind, id, traits, condition) =>
      (await call<Entity>('PATCH', address(kind, id), { traits }, onlyIf(condition))).data,
    delete: async (kind, id, { eraseEvents = false, ...condition } = {}) =>
      (await call(
        'DELETE',
        `${address(kind, id)}${eraseEvents ? '?erase_events=true' : ''}`,
        undefined,
        onlyIf(condition),
      ).catch(orNone)) !== null,
    async *list({ traits = {}, updated_after, ...filter } = {}) {
      const query = new URLSearchParams(filter);
      for (const [path, value] of Object.entries(traits)) query.set(`trait.${path}`, String(value));
      if (updated_after !== undefined) query.set('updated_after', new Date(updated_after).toISOString());
      for (let cursor: string | null = ''; cursor !== null; ) {
        if (cursor !== '') query.set('cursor', cursor);
        const page: { data: Entity[]; next_cursor: string | null } = await call<Entity[]>(
          'GET',
          `/v1/entities?${query}`,
        );
        yield* page.data;
        cursor = page.next_cursor;
      }
    },
  };
}
