import { page, success } from '@sluice/contract';
import { entityEvent, entityGraph, entityIdentity, entityLink, entityRecord } from '@sluice/contract/entity';
import { MOST_GRAPH_NODES } from '../../core/entities/link.ts';
import { aLink, anEntity, deletedAnswer, entityPath, errorsOf, linkPath, paging } from './entities-common.ts';
import type { PublicOperation } from './operation.ts';

const base = { tag: 'Entities', security: ['apiKey'] } as const satisfies Partial<PublicOperation>;
const ONE = '/v1/entities/{kind}/{external_id}';
const LINK = `${ONE}/links/{relation}/{to_kind}/{to_external_id}`;

const get = (path: string) => (baseUrl: string) =>
  `curl '${baseUrl}/v1/entities/customer/c_42/${path}' \\
  -H "Authorization: Bearer $KEY"`;

const change = (method: string) => (baseUrl: string) =>
  `curl -X ${method} \\
  ${baseUrl}/v1/entities/customer/c_42/links/same_as/device/d_7 \\
  -H "Authorization: Bearer $KEY"`;

const linked = { EntityLink: entityLink, EntityLinkAnswer: success(entityLink) };
const linkAnswer = (description: string) => ({
  description,
  schema: 'EntityLinkAnswer',
  example: { data: aLink },
});

const anEvent = {
  id: 'evt_01K9ZQ4T0V8N3YB6XJ2M5R7C1D',
  type: 'order.paid',
  icon: '💳',
  payload: { order: 1001, amount: 42.5 },
  state: 'processed',
  entity: { kind: 'customer', external_id: 'c_42' },
  timestamp: '2026-01-31T12:00:00.000Z',
  received_at: '2026-01-31T12:00:00.120Z',
  erased_at: null,
};

const itsPlace = { kind: 'customer', external_id: 'c_42' };

/** Links between entities, and what follows from them. */
export const entityGraphOperations = (): PublicOperation[] => [
  {
    ...base,
    method: 'put',
    path: LINK,
    id: 'linkEntities',
    summary: 'Link two entities',
    description:
      'Both ends must exist and differ. Linking what is already linked changes nothing and answers 200. `same_as` from either end is the same link.',
    parameters: linkPath,
    answers: { 200: linkAnswer('The link already existed.'), 201: linkAnswer('The link was created.') },
    errors: errorsOf({ more: ['not_found'] }),
    sample: change('PUT'),
    schemas: linked,
  },
  {
    ...base,
    method: 'delete',
    path: LINK,
    id: 'unlinkEntities',
    summary: 'Remove a link',
    description: 'An identity that was joined by this link alone is split in two again.',
    parameters: linkPath,
    answers: {
      200: { description: 'It was deleted.', schema: 'DeletedAnswer', example: { data: { deleted: true } } },
    },
    errors: errorsOf({ more: ['not_found'] }),
    sample: change('DELETE'),
    schemas: { DeletedAnswer: deletedAnswer },
  },
  {
    ...base,
    method: 'get',
    path: `${ONE}/links`,
    id: 'listLinks',
    summary: 'List its links',
    description: 'Outgoing links first, then incoming ones.',
    parameters: [
      ...entityPath,
      {
        name: 'direction',
        in: 'query',
        required: false,
        description: 'Only outgoing (`out`) or incoming (`in`) links. `same_as` is in both.',
        schema: { type: 'string', enum: ['in', 'out'] },
      },
      ...paging,
    ],
    answers: {
      200: {
        description: 'A page of links.',
        schema: 'EntityLinkPage',
        example: { data: [aLink], next_cursor: null },
      },
    },
    errors: errorsOf({ more: ['invalid_cursor', 'not_found'] }),
    sample: get('links?direction=out'),
    schemas: { EntityLink: entityLink, EntityLinkPage: page(entityLink) },
  },
  {
    ...base,
    method: 'get',
    path: `${ONE}/graph`,
    id: 'getGraph',
    summary: 'The graph around it',
    description: `Every entity within so many links of it, in either direction, and the links that were followed to reach them; links between two entities at the greatest depth are not included. At most ${MOST_GRAPH_NODES} entities; \`truncated\` says when there are more.`,
    parameters: [
      ...entityPath,
      {
        name: 'depth',
        in: 'query',
        required: false,
        description: 'How many links away.',
        schema: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
      },
    ],
    answers: {
      200: {
        description: 'The part of the graph.',
        schema: 'EntityGraphAnswer',
        example: {
          data: {
            nodes: [anEntity, { ...anEntity, ...aLink.to, traits: { os: 'ios' } }],
            edges: [aLink],
            truncated: false,
          },
        },
      },
    },
    errors: errorsOf({ more: ['not_found'] }),
    sample: get('graph?depth=2'),
    schemas: { Entity: entityRecord, EntityLink: entityLink, EntityGraphAnswer: success(entityGraph) },
  },
  {
    ...base,
    method: 'get',
    path: `${ONE}/identity`,
    id: 'getIdentity',
    summary: 'Its identity',
    description:
      'All entities that `same_as` joins to it, at whatever distance, and their traits merged: of each top-level trait the value that was written last, with the entity it came from.',
    parameters: entityPath,
    answers: {
      200: {
        description: 'The identity, the same for each of its members.',
        schema: 'EntityIdentityAnswer',
        example: {
          data: {
            members: [anEntity],
            traits: anEntity.traits,
            provenance: {
              plan: { ...itsPlace, updated_at: '2026-02-03T08:15:30.250Z' },
              seats: { ...itsPlace, updated_at: '2026-01-31T12:00:00.000Z' },
            },
            truncated: false,
          },
        },
      },
    },
    errors: errorsOf({ more: ['not_found'] }),
    sample: get('identity'),
    schemas: { Entity: entityRecord, EntityIdentityAnswer: success(entityIdentity) },
  },
  {
    ...base,
    method: 'get',
    path: `${ONE}/events`,
    id: 'listEntityEvents',
    summary: 'Its events',
    description:
      'The events whose `entity` names it, newest first, also those that came before it was created. A page may be short where payloads are large. An event whose payload was erased says when.',
    parameters: [
      ...entityPath,
      {
        name: 'identity',
        in: 'query',
        required: false,
        description: 'Whether to list the events of its whole identity.',
        schema: { type: 'boolean', default: false },
      },
      ...paging,
    ],
    answers: {
      200: {
        description: 'A page of events.',
        schema: 'EntityEventPage',
        example: { data: [anEvent], next_cursor: null },
      },
    },
    errors: errorsOf({ more: ['invalid_cursor', 'not_found'] }),
    sample: get('events?identity=true'),
    schemas: { EntityEventPage: page(entityEvent) },
  },
];
