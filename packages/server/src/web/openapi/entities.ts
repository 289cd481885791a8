import { page, success } from '@sluice/contract';
import {
  entitiesBody,
  entitiesQuery,
  entityBody,
  entityRecord,
  MOST_ENTITIES_AT_ONCE,
  traitsBody,
} from '@sluice/contract/entity';
import { MOST_PATCH_BYTES, MOST_TRAIT_BYTES } from '@sluice/contract/entity-limits';
import { z } from 'zod';
import { anEntity, deletedAnswer, entityPath, errorsOf, ifMatch, paging } from './entities-common.ts';
import type { DocumentedLimits } from './limits.ts';
import { type Parameter, type PublicOperation, schemaRef } from './operation.ts';
import { inlineSchema } from './schemas.ts';

const base = { tag: 'Entities', security: ['apiKey'] } as const satisfies Partial<PublicOperation>;
const ONE = '/v1/entities/{kind}/{external_id}';

const record = { Entity: entityRecord, EntityAnswer: success(entityRecord) };
const traitsContent = {
  'application/json': {
    schema: schemaRef('Traits'),
    examples: { traits: { summary: 'Some traits', value: { traits: { plan: 'pro', seats: 5 } } } },
  },
};
const answered = (description: string) => ({
  description,
  schema: 'EntityAnswer',
  example: { data: anEntity },
});

const listFilters: readonly Parameter[] = [
  {
    name: 'kind',
    in: 'query',
    required: false,
    description: 'Only those of this kind.',
    schema: inlineSchema(entitiesQuery.shape.kind),
    example: 'customer',
  },
  {
    name: 'external_id',
    in: 'query',
    required: false,
    description: 'Only those with this external id, of whatever kind.',
    schema: inlineSchema(entitiesQuery.shape.external_id),
    example: 'c_42',
  },
  {
    name: 'trait.<path>',
    in: 'query',
    required: false,
    description:
      'Only those whose trait at this path equals the value: `trait.plan=pro`, `trait.address.city=Berlin`. `42` matches the number and the text, `true` likewise; lists and objects match nothing. May be given for several paths.',
    schema: { type: 'string' },
    example: 'pro',
  },
  {
    name: 'updated_after',
    in: 'query',
    required: false,
    description: 'Only those that changed after this moment, in RFC 3339.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-01-31T12:00:00Z',
  },
];

/** Upserting, reading and deleting entities. */
export const entityRecordOperations = (limits: DocumentedLimits): PublicOperation[] => [
  {
    ...base,
    method: 'put',
    path: ONE,
    id: 'putEntity',
    summary: 'Write an entity',
    description: `Creates the entity, or replaces the traits of the existing one. Its version starts at 1 and increases by 1 with each write, also with one that changes nothing; after a delete it starts again.

Traits may come to ${MOST_TRAIT_BYTES / 1024} KiB of JSON in UTF-8, and what one write merges into them to ${MOST_PATCH_BYTES / 1024} KiB, nested ${limits.nesting} levels deep. Integers are kept exactly at any size.`,
    parameters: [...entityPath, ifMatch],
    body: traitsContent,
    answers: { 200: answered('It already existed.'), 201: answered('It was created.') },
    errors: errorsOf({ body: true, more: ['version_conflict'] }),
    sample: baseUrl => `curl -X PUT ${baseUrl}/v1/entities/customer/c_42 \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"traits": {"plan": "pro", "seats": 5}}'`,
    schemas: { ...record, Traits: traitsBody },
  },
  {
    ...base,
    method: 'post',
    path: '/v1/entities',
    id: 'upsertEntities',
    summary: 'Upsert by body, one or many',
    description: `Creates each entity, or merges the traits into the existing ones by JSON Merge Patch (RFC 7396): objects merge field by field, \`null\` removes, anything else replaces.

One entity is answered with its record. With \`entities\`, up to ${MOST_ENTITIES_AT_ONCE} of them are written, all or none, and answered as an array in the same order; the same entity twice is written twice, in order.`,
    parameters: [],
    body: {
      'application/json': {
        schema: { oneOf: [schemaRef('EntityUpsert'), schemaRef('EntitiesUpsert')] },
        examples: {
          one: {
            summary: 'One entity',
            value: { kind: 'customer', external_id: 'c_42', traits: { plan: 'pro', trial: null } },
          },
          many: {
            summary: 'Many',
            value: {
              entities: [
                { kind: 'customer', external_id: 'c_42', traits: { seats: 5 } },
                { kind: 'company', external_id: 'acme' },
              ],
            },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'It already existed; or the array form, whose `data` is an array of records.',
        schema: 'UpsertAnswer',
        example: { data: [anEntity] },
      },
      201: answered('One entity, which was created.'),
    },
    errors: errorsOf({ body: true }),
    sample: baseUrl => `curl ${baseUrl}/v1/entities \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"entities": [
        {"kind": "customer", "external_id": "c_42",
         "traits": {"seats": 5}}
      ]}'`,
    schemas: {
      ...record,
      EntityUpsert: entityBody,
      EntitiesUpsert: entitiesBody,
      UpsertAnswer: success(z.union([entityRecord, z.array(entityRecord)])),
    },
  },
  {
    ...base,
    method: 'get',
    path: '/v1/entities',
    id: 'listEntities',
    summary: 'List entities',
    description: `Newest change first; filters combine with AND. Continuing with a cursor neither skips nor repeats an entity that did not change in the meantime; one that changed moves to the start.

A trait that your organisation has declared searchable is indexed. Filtering by any other scans entities, for up to a second per page: such a page may be short, or empty, and still have a \`next_cursor\` to continue with.`,
    parameters: [...listFilters, ...paging],
    answers: {
      200: {
        description: 'A page of entities.',
        schema: 'EntityPage',
        example: { data: [anEntity], next_cursor: null },
      },
    },
    errors: errorsOf({ more: ['invalid_cursor'] }),
    sample: baseUrl => `curl -G ${baseUrl}/v1/entities \\
  -H "Authorization: Bearer $KEY" \\
  -d kind=customer -d trait.plan=pro -d limit=20`,
    schemas: { Entity: entityRecord, EntityPage: page(entityRecord) },
  },
  {
    ...base,
    method: 'get',
    path: ONE,
    id: 'getEntity',
    summary: 'Fetch one entity',
    description: 'Its version also stands in the `ETag` header, to be sent back as `If-Match`.',
    parameters: entityPath,
    answers: { 200: answered('The entity.') },
    errors: errorsOf({ more: ['not_found'] }),
    sample: baseUrl => `curl ${baseUrl}/v1/entities/customer/c_42 \\
  -H "Authorization: Bearer $KEY"`,
    schemas: record,
  },
  {
    ...base,
    method: 'patch',
    path: ONE,
    id: 'patchEntity',
    summary: 'Patch traits',
    description:
      'Merges into the existing traits by JSON Merge Patch (RFC 7396): `null` removes. An entity that does not exist is 404, never created.',
    parameters: [...entityPath, ifMatch],
    body: traitsContent,
    answers: { 200: answered('The entity as it is now.') },
    errors: errorsOf({ body: true, more: ['not_found', 'version_conflict'] }),
    sample: baseUrl => `curl -X PATCH ${baseUrl}/v1/entities/customer/c_42 \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'If-Match: *' \\
  -d '{"traits": {"plan": "team", "trial": null}}'`,
    schemas: { ...record, Traits: traitsBody },
  },
  {
    ...base,
    method: 'delete',
    path: ONE,
    id: 'deleteEntity',
    summary: 'Delete an entity',
    description: `Its links are deleted too. Its events stay, and keep naming its kind and external id.

With \`erase_events=true\` the payloads of its events are erased first: in the events, in what pipelines made of them and in what was sent. Tombstones that say so stay in their place, and what is pending is cancelled. All of it is done before the response is sent.`,
    parameters: [
      ...entityPath,
      {
        name: 'erase_events',
        in: 'query',
        required: false,
        description: 'Whether the payloads of its events are erased too. This cannot be undone.',
        schema: { type: 'boolean', default: false },
      },
      ifMatch,
    ],
    answers: {
      200: { description: 'It was deleted.', schema: 'DeletedAnswer', example: { data: { deleted: true } } },
    },
    errors: errorsOf({ more: ['not_found', 'version_conflict'] }),
    sample: baseUrl => `curl -X DELETE \\
  '${baseUrl}/v1/entities/customer/c_42?erase_events=true' \\
  -H "Authorization: Bearer $KEY"`,
    schemas: { DeletedAnswer: deletedAnswer },
  },
];
