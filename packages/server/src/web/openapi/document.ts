import { catalogue } from '../../core/errors.ts';
import type { DocumentedLimits } from './limits.ts';
import { describeOperation, type PublicOperation } from './operation.ts';
import { codesOf, publicOperations } from './operations.ts';
import { schemasOf } from './schemas.ts';

const tags = [
  { name: 'Events', description: 'Events from your own code, in batches, with an API key.' },
  { name: 'Webhooks', description: 'Events from anyone who can POST, to the URL of a webhook source.' },
  { name: 'Entities', description: 'What events are about, and how they are related, with an API key.' },
];

export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, created in the dashboard. It carries its organisation.',
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
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The reference of the public API in OpenAPI 3.1, whose schemas are those that requests are checked with. */
export function createOpenApiDocument(
  limits: DocumentedLimits,
  version: string,
  /** How senders reach the service, where that is known: else the address that the document was fetched from. */
  baseUrl?: string,
): OpenApiDocument {
  const operations = publicOperations(limits);
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
        'Accepts events and stores them: a 202 means that what you sent is on stable storage. Every answer is an envelope, `{"data": …}` or `{"error": {"message", "code", "path"?}}`. Codes are stable; messages are for people and may change.',
    },
    servers: [{ url: baseUrl ?? '/' }],
    tags,
    paths,
    components: {
      securitySchemes,
      headers,
      schemas: schemasOf(operations),
      examples: toExamples(operations),
    },
  } satisfies OpenApiDocument & { components: unknown };
}

/** The catalogue of errors, as far as the public calls answer with it. */
function toExamples(operations: readonly PublicOperation[]): Record<string, unknown> {
  return Object.fromEntries(
    codesOf(operations).map(code => {
      const { message } = catalogue[code];
      return [code, { summary: message, value: { error: { message, code } } }];
    }),
  );
}
