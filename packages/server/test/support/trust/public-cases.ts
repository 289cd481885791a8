import { LISTEN_PATH, LISTEN_RESULTS_PATH } from '@sluice/contract/listen';
import { defaultLimits } from '../../../../../scripts/reference/api.ts';
import type { PublicOperation } from '../../../src/web/openapi/operation.ts';
import { publicOperations } from '../../../src/web/openapi/operations.ts';
import type { Things } from './things.ts';

/** What the same tests have to know of a public call beyond its description. */
export interface PublicCase {
  body?(things: Things): unknown;
  headers?(things: Things): Readonly<Record<string, string>>;
  /** Whoever knows its path may ask, and is then asked for a secret of another kind than an API key. */
  readonly isOpenByPath?: true;
}

const none: PublicCase = {};
const traits: PublicCase = { body: () => ({ traits: { plan: 'pro', seats: 5 } }) };

/** A line for each operation of the OpenAPI document, by its id: the tests ask for it. */
const publicCases: Readonly<Record<string, PublicCase>> = {
  ingestEvents: {
    body: ({ eventType, senderId, parameters: { kind, external_id } }) => ({
      events: [
        { type: eventType, id: senderId, entity: { kind, external_id }, payload: { n: 1 } },
        { type: 'a', icon: '💳', timestamp: '2026-01-31T12:00:00Z' },
      ],
    }),
    headers: ({ idempotencyKey }) => ({ 'X-Ingest-Idempotency-Key': idempotencyKey }),
  },
  receiveWebhook: {
    body: ({ eventType }) => ({ type: eventType, n: 1 }),
    headers: ({ idempotencyKey }) => ({ 'X-Ingest-Idempotency-Key': idempotencyKey }),
    isOpenByPath: true,
  },
  putEntity: traits,
  upsertEntities: {
    body: ({ parameters: { kind, external_id, to_kind, to_external_id } }) => ({
      entities: [
        { kind, external_id, traits: { plan: 'pro' } },
        { kind: to_kind, external_id: to_external_id },
      ],
    }),
  },
  listEntities: none,
  getEntity: none,
  patchEntity: traits,
  deleteEntity: none,
  linkEntities: none,
  unlinkEntities: none,
  listLinks: none,
  getGraph: none,
  getIdentity: none,
  listEntityEvents: none,
};

/** Every public call with its case. */
export const publicCalls = (): { operation: PublicOperation; known: PublicCase }[] =>
  publicOperations(defaultLimits()).map(operation => {
    const known = publicCases[operation.id];
    if (known === undefined)
      throw new Error(`There is no case for ${operation.id}: it takes a line in public-cases.ts.`);
    return { operation, known };
  });

/** A call that is open to the whole network, and stands in no document. */
export interface UndescribedCall {
  readonly method: string;
  path(things: Things): string;
  query?(things: Things): Readonly<Record<string, string>>;
  body?(things: Things): unknown;
  headers(things: Things): Readonly<Record<string, string>>;
}

const asListener = ({ held }: Things) => ({ Authorization: `Bearer ${held.listener}` });

/** What `sluice listen` speaks, and the handshake of a provider. */
export const undescribedCalls: readonly UndescribedCall[] = [
  { method: 'GET', path: () => LISTEN_PATH, headers: asListener },
  {
    method: 'POST',
    path: () => LISTEN_RESULTS_PATH,
    body: ({ held, paths }) => ({
      connection: held.connection,
      delivery: paths['/deliveries'],
      duration_ms: 1,
      outcome: { status: 200, body: 'taken', retry_after: null },
    }),
    headers: asListener,
  },
  {
    method: 'GET',
    path: ({ held }) => `/whk/${held.handshake}`,
    query: ({ held, word }) => ({
      'hub.mode': 'subscribe',
      'hub.challenge': word,
      'hub.verify_token': held.agreed,
    }),
    headers: () => ({}),
  },
];
