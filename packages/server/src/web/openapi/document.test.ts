import { describe, expect, test } from 'bun:test';
import { catalogue, type ErrorCode } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { createOpenApiDocument } from './document.ts';
import type { DocumentedLimits } from './limits.ts';
import { publicOperations } from './operations.ts';

const limits: DocumentedLimits = {
  bodyBytes: 5 * 1024 * 1024,
  eventBytes: 1024 * 1024,
  batchEvents: 1_000,
  nesting: 64,
  typeLength: 256,
  iconLength: 64,
  idempotencyKeyLength: 255,
};
type Tree = { readonly [key: string]: Tree | undefined } & readonly Tree[];
const document = JSON.parse(JSON.stringify(createOpenApiDocument(limits, VERSION)));
const operations = publicOperations(limits);

/** Every object inside, with the way to it. */
function* objectsIn(value: unknown, path = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`);
}

const lookUp = (reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<Tree | undefined>((inner, key) => inner?.[key], document);

const answersOf = (path: string): Record<string, Record<string, unknown>> =>
  document.paths[path].post.responses;

describe('the OpenAPI document', () => {
  test('is a 3.1 document with what one must have', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Sluice', version: VERSION });
    for (const [path, item] of Object.entries<Record<string, Tree>>(document.paths)) {
      expect(path).toStartWith('/');
      for (const [method, operation] of Object.entries<Tree | undefined>(item)) {
        expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method);
        expect(operation).toHaveProperty('operationId');
        for (const answer of Object.values<unknown>(operation?.responses ?? {})) {
          expect(answer).toHaveProperty('description');
          expect(answer).toHaveProperty('content');
        }
      }
    }
  });

  test('has no reference that leads nowhere, and no component that nothing refers to', () => {
    const references = [...objectsIn(document)].flatMap(([, { $ref }]) =>
      typeof $ref === 'string' ? [$ref] : [],
    );
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references)
      expect([reference, lookUp(reference)]).not.toEqual([reference, undefined]);
    const referred = new Set(references);
    for (const kind of ['schemas', 'headers', 'examples']) {
      for (const name of Object.keys(document.components[kind])) {
        expect(referred).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  test('names each part of a path as a required parameter', () => {
    for (const { path, parameters } of operations) {
      const inPath = parameters.filter(parameter => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  test('names security schemes that it declares, and tells operations apart', () => {
    for (const [, object] of objectsIn(document.paths)) {
      for (const scheme of (object.security as Record<string, unknown>[] | undefined) ?? []) {
        for (const name of Object.keys(scheme))
          expect(document.components.securitySchemes).toHaveProperty(name);
      }
    }
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  test('lists every status of the two ingest endpoints', () => {
    expect(Object.keys(answersOf('/v1/ingest'))).toEqual([
      '202',
      '400',
      '401',
      '405',
      '409',
      '413',
      '415',
      '500',
      '503',
    ]);
    expect(Object.keys(answersOf('/whk/{token}'))).toEqual([
      '202',
      '400',
      '401',
      '403',
      '404',
      '405',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
  });

  test('lists every status of the calls of entities', () => {
    const statusesOf = (method: string, path: string) =>
      Object.keys(document.paths[`/v1/entities${path}`][method].responses).join(' ');
    const one = '/{kind}/{external_id}';
    const link = `${one}/links/{relation}/{to_kind}/{to_external_id}`;
    expect(statusesOf('get', '')).toBe('200 400 401 405 500 503');
    expect(statusesOf('post', '')).toBe('200 201 400 401 405 413 415 500 503');
    expect(statusesOf('get', one)).toBe('200 400 401 404 405 500 503');
    expect(statusesOf('put', one)).toBe('200 201 400 401 405 409 413 415 500 503');
    expect(statusesOf('patch', one)).toBe('200 400 401 404 405 409 413 415 500 503');
    expect(statusesOf('delete', one)).toBe('200 400 401 404 405 409 500 503');
    expect(statusesOf('put', link)).toBe('200 201 400 401 404 405 500 503');
    expect(statusesOf('delete', link)).toBe('200 400 401 404 405 500 503');
    for (const part of ['links', 'graph', 'identity', 'events']) {
      expect(statusesOf('get', `${one}/${part}`)).toBe('200 400 401 404 405 500 503');
    }
  });

  test('says when Retry-After, Allow and WWW-Authenticate come along', () => {
    const header = (path: string, status: string) => Object.keys(answersOf(path)[status]?.headers ?? {});
    expect(header('/whk/{token}', '429')).toEqual(['Retry-After']);
    expect(header('/v1/ingest', '503')).toEqual(['Retry-After']);
    expect(header('/v1/ingest', '405')).toEqual(['Allow']);
    expect(header('/v1/ingest', '401')).toEqual(['WWW-Authenticate']);
    expect(header('/v1/ingest', '400')).toEqual([]);
  });

  test('shows an example of each error from the catalogue', () => {
    for (const { errors } of operations) {
      for (const code of errors) {
        expect(document.components.examples[code].value.error).toEqual({
          code,
          message: catalogue[code as ErrorCode].message,
        });
      }
    }
  });

  test('says nothing of private calls', () => {
    const one = '/v1/entities/{kind}/{external_id}';
    expect(Object.keys(document.paths).toSorted()).toEqual(
      [
        '/v1/ingest',
        '/whk/{token}',
        '/v1/entities',
        one,
        `${one}/links/{relation}/{to_kind}/{to_external_id}`,
        `${one}/links`,
        `${one}/graph`,
        `${one}/identity`,
        `${one}/events`,
      ].toSorted(),
    );
    expect(JSON.stringify(document)).not.toMatch(/dashboard\/api|csrf_rejected|forbidden/);
  });

  test('shows requests that its own schemas accept, and answers likewise', () => {
    for (const { body, answers, schemas } of operations) {
      for (const { schema, examples } of Object.values(body ?? {})) {
        const { $ref, oneOf = [] } = schema as { $ref?: string; oneOf?: { $ref: string }[] };
        const names = [$ref ?? '', ...oneOf.map(one => one.$ref)].map(ref => ref.split('/').at(-1) ?? '');
        const shapes = names.flatMap(name => schemas[name] ?? []);
        for (const { value } of Object.values(examples)) {
          if (shapes.length > 0) expect(shapes.some(shape => shape.safeParse(value).success)).toBe(true);
        }
      }
      for (const { schema, example } of Object.values(answers)) {
        expect(schemas[schema]?.parse(example)).toEqual(example);
      }
    }
  });

  test('states the limits that are in force', () => {
    const small = createOpenApiDocument(
      { ...limits, batchEvents: 7, typeLength: 9, eventBytes: 2_000 },
      VERSION,
    );
    const { Event, IngestRequest } = small.components.schemas as Record<string, Tree>;
    expect(IngestRequest?.properties?.events).toMatchObject({ minItems: 1, maxItems: 7 });
    expect(Event?.properties?.type).toMatchObject({ minLength: 1, maxLength: 9 });
    expect(JSON.stringify(small)).toContain('2000 bytes');
  });

  test('describes an event closed, with a payload of anything', () => {
    const { Event } = document.components.schemas;
    expect(Event).toMatchObject({
      additionalProperties: false,
      required: ['type'],
      properties: {
        payload: { type: 'object', additionalProperties: true },
        timestamp: { type: 'string', format: 'date-time' },
      },
    });
  });
});
