import { failure } from '@sluice/contract';
import { z } from 'zod';
import { catalogue, type ErrorCode } from '../../core/errors.ts';
import { ingestOperation } from './ingest.ts';
import { describeOperation, type PublicOperation } from './operation.ts';
import type { DocumentedLimits } from './shared.ts';
import { webhookOperation } from './webhook.ts';

/** Every public call. The dashboard's own calls are private and never stand here. */
const operationsOf = (limits: DocumentedLimits): PublicOperation[] => [
  ingestOperation(limits),
  webhookOperation(limits),
];

const tags = [
  { name: 'Events', description: 'Events from your own code, in batches, with an API key.' },
  { name: 'Webhooks', description: 'Events from anybody who can POST, to the URL of a webhook source.' },
];

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, made in the dashboard. It carries its organisation.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Ingest-Signature',
    description:
      'For a source in hmac mode: the HMAC-SHA256 of the raw body under its secret, in lowercase hex.',
  },
  sourceSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'For a source in bearer mode: the secret of that source, not an API key.',
  },
};

const headers = {
  RetryAfter: {
    description: 'Whole seconds after which to try again, at least 1.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'The methods that are allowed here.', schema: { type: 'string' } },
  WWWAuthenticate: { description: 'Always `Bearer`.', schema: { type: 'string' } },
};

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The reference of the public API in OpenAPI 3.1, whose schemas are those that requests are checked with. */
export function createOpenApiDocument(limits: DocumentedLimits, version: string): OpenApiDocument {
  const operations = operationsOf(limits);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describeOperation(operation) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sluice',
      version,
      description:
        'Takes events in and keeps them: a 202 means that what you sent is on stable storage. Every answer is an envelope, `{"data": …}` or `{"error": {"message", "code", "path"?}}`. Codes are stable; messages are for people and may change.',
    },
    tags,
    paths,
    components: {
      securitySchemes,
      headers,
      schemas: toSchemas([{ Failure: failure }, ...operations.map(({ schemas }) => schemas)]),
      examples: toExamples(operations),
    },
  } satisfies OpenApiDocument & { components: unknown };
}

/** zod writes the JSON Schema of OpenAPI 3.1 as it is; only the addresses it gives each schema must go. */
function toSchemas(named: readonly Readonly<Record<string, z.ZodType>>[]): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of named.flatMap(Object.entries))
    if (!registry.has(schema)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: id => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
}

/** The catalogue of errors, as far as the public calls answer with it. */
function toExamples(operations: readonly PublicOperation[]): Record<string, unknown> {
  const codes = new Set<ErrorCode>(operations.flatMap(({ errors }) => errors));
  return Object.fromEntries(
    (Object.keys(catalogue) as ErrorCode[])
      .filter(code => codes.has(code))
      .map(code => {
        const { message } = catalogue[code];
        return [code, { summary: message, value: { error: { message, code } } }];
      }),
  );
}
