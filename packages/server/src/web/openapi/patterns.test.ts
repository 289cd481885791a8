import { describe, expect, test } from 'bun:test';
import { defaultEventLimits, ingestBody } from '@sluice/contract';
import { entitiesQuery, entityBody } from '@sluice/contract/entity';
import fc from 'fast-check';
import { createVault } from '../../core/secrets/vault.ts';
import { VERSION } from '../../core/version.ts';
import { createCursors } from '../paging.ts';
import { readEntity, readLink } from '../public/entities-path.ts';
import { readIfMatch } from '../public/entities-query.ts';
import { createOpenApiDocument } from './document.ts';
import type { JsonSchema } from './schemas.ts';

/** What the document says of a text is what the endpoint that reads it says. */

const sizes = { bodyBytes: 5_000_000, eventBytes: 1_000_000, nesting: 64, idempotencyKeyLength: 255 };
const document = createOpenApiDocument({ ...defaultEventLimits, ...sizes }, VERSION);

/** As a validator of JSON Schema reads it: patterns with the flag u, lengths in code points. */
function accepts(schema: JsonSchema, text: string): boolean {
  const { pattern = '', minLength = 0, maxLength = Infinity, not } = schema;
  const { length } = [...text];
  const isOfLength = length >= minLength && length <= maxLength;
  return isOfLength && new RegExp(pattern, 'u').test(text) && !not?.enum?.includes(text);
}

type Described = {
  readonly parameters: readonly { readonly name: string; readonly schema: JsonSchema }[];
};

function parameter(path: string, method: string, name: string): JsonSchema {
  const described = document.paths[path]?.[method] as Described | undefined;
  return found(described?.parameters.find(one => one.name === name)?.schema, name);
}

function field(schema: string, ...path: readonly string[]): JsonSchema {
  const { [schema]: whole } = document.components.schemas as Record<string, JsonSchema>;
  return found(
    path.reduce<JsonSchema | undefined>((inner, name) => inner?.properties?.[name], whole),
    path.join('.'),
  );
}

function found(schema: JsonSchema | undefined, name: string): JsonSchema {
  if (schema === undefined) throw new Error(`The document does not describe ${name}.`);
  return schema;
}

const isTaken = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

const ONE = '/v1/entities/{kind}/{external_id}';
const LINK = `${ONE}/links/{relation}/{to_kind}/{to_external_id}`;

const batch = ingestBody(defaultEventLimits);
const event = (over: object) => batch.safeParse({ events: [{ type: 'a', ...over }] }).success;
const entity = (over: object) => entityBody.safeParse({ kind: 'a', external_id: 'a', ...over }).success;
const one = (kind: string, id: string) => isTaken(() => readEntity([kind, id].map(encodeURIComponent)));
const link = (relation: string, kind: string, id: string) =>
  isTaken(() => readLink(['from', 'here', 'links', relation, kind, id].map(encodeURIComponent)));

/** What the document calls it, and whether its endpoint takes a text. */
const texts: Readonly<Record<string, readonly [JsonSchema, (text: string) => boolean]>> = {
  'events[].id': [field('Event', 'id'), id => event({ id })],
  'events[].type': [field('Event', 'type'), type => event({ type })],
  'events[].entity.kind': [
    field('Event', 'entity', 'kind'),
    kind => event({ entity: { kind, external_id: 'a' } }),
  ],
  'events[].entity.external_id': [
    field('Event', 'entity', 'external_id'),
    id => event({ entity: { kind: 'a', external_id: id } }),
  ],
  'the kind of an upsert': [field('EntityUpsert', 'kind'), kind => entity({ kind })],
  'the external_id of an upsert': [field('EntityUpsert', 'external_id'), id => entity({ external_id: id })],
  'the kind of a path': [parameter(ONE, 'get', 'kind'), kind => one(kind, 'a')],
  'the external_id of a path': [parameter(ONE, 'get', 'external_id'), id => one('a', id)],
  'the relation of a link': [parameter(LINK, 'put', 'relation'), relation => link(relation, 'a', 'a')],
  'the kind of the other end': [parameter(LINK, 'put', 'to_kind'), kind => link('a', kind, 'a')],
  'the external_id of the other end': [parameter(LINK, 'put', 'to_external_id'), id => link('a', 'a', id)],
  'the kind of a filter': [
    parameter('/v1/entities', 'get', 'kind'),
    kind => entitiesQuery.safeParse({ kind }).success,
  ],
  'the external_id of a filter': [
    parameter('/v1/entities', 'get', 'external_id'),
    id => entitiesQuery.safeParse({ external_id: id }).success,
  ],
};

const unit = fc.constantFrom(...'aZ09_.-~/% \t\n\0é😀\u001f\u007f\u009f\u00a0\u2028');
const lengths = [64, 255, 256, 1_024].flatMap(length => [length, length + 1]);
const atTheEdge = lengths.flatMap(length => ['a', '😀'].map(character => character.repeat(length)));
const anyText = fc.oneof(fc.string({ unit, maxLength: 5 }), fc.string({ unit: 'binary' }));

describe('the document accepts what the endpoint does', () => {
  test.each(Object.entries(texts))('of %s', (_, [schema, isAccepted]) => {
    const examples = ['', '.', '..', '...', '.a', 'c_42', ...atTheEdge];
    fc.assert(
      fc.property(anyText, text => expect(accepts(schema, text)).toBe(isAccepted(text))),
      { numRuns: 300, examples: examples.map(text => [text]) },
    );
  });

  test('of If-Match, and any number of digits', () => {
    const schema = parameter(ONE, 'put', 'If-Match');
    const headers = fc.string({ unit: fc.constantFrom(...'"*07W/,x-'), maxLength: 6 });
    const isRead = (text: string) =>
      isTaken(() => readIfMatch(new Request('http://localhost', { headers: { 'if-match': text } })));
    fc.assert(
      fc.property(headers, text => expect(accepts(schema, text)).toBe(isRead(text))),
      { numRuns: 1_000, examples: ['', '*', '3', '"3"', '"3', '**'].map(text => [text]) },
    );
    for (const version of ['9'.repeat(20), `"${'9'.repeat(20)}"`])
      expect(accepts(schema, version)).toBe(true);
  });

  test('of a cursor: every one that is issued, and none that cannot have been', () => {
    const schema = parameter(`${ONE}/links`, 'get', 'cursor');
    const cursors = createCursors(createVault('a secret key for tests, 32 characters or more'));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), position => {
        const cursor = cursors.issue('list', position);
        expect(accepts(schema, cursor)).toBe(true);
        for (const other of [`${cursor}0`, `${cursor}\n`, `+${cursor}`, cursor.replace('.', '')]) {
          expect(accepts(schema, other)).toBe(false);
          expect(() => cursors.read('list', other)).toThrow('not issued');
        }
      }),
    );
  });
});
