import type { z } from 'zod';
import { catalogue, type ErrorCode } from '../../core/errors.ts';

/**
 * One public call as its reference page needs it. A new one is a file beside this one that answers such a
 * record, and a line in operations.ts; everything else (components, error answers, the page) follows from it.
 */
export interface PublicOperation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Any one of these is enough; see document.ts. */
  readonly security: readonly SecuritySchemeName[];
  readonly parameters: readonly Parameter[];
  readonly body?: Readonly<Record<string, MediaContent>>;
  readonly answers: Readonly<Record<number, DescribedAnswer>>;
  readonly errors: readonly ErrorCode[];
  /** A command to paste into a shell. */
  sample(baseUrl: string): string;
  /** The shapes it speaks of, by the name under which they stand in the document. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
}

type SecuritySchemeName = 'apiKey' | 'signature' | 'sourceSecret' | 'none';

export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string;
}

interface MediaContent {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

interface DescribedAnswer {
  readonly description: string;
  readonly schema: string;
  readonly example: unknown;
}

export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Headers that an answer carries because of what it says. */
const headersOf: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'RetryAfter',
  storage_unavailable: 'RetryAfter',
  method_not_allowed: 'Allow',
  unauthenticated: 'WWWAuthenticate',
};

const headerNames: Readonly<Record<string, string>> = {
  RetryAfter: 'Retry-After',
  Allow: 'Allow',
  WWWAuthenticate: 'WWW-Authenticate',
};

export function describeOperation(operation: PublicOperation): Record<string, unknown> {
  const { id, tag, summary, description, parameters, body, answers, errors } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: operation.security.map(name => (name === 'none' ? {} : { [name]: [] })),
    parameters,
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]),
      ),
      ...describeErrors(errors),
    },
  };
}

const describeAnswer = ({ description, schema, example }: DescribedAnswer) => ({
  description,
  content: { 'application/json': { schema: schemaRef(schema), example } },
});

/** One answer for each status, with an example of each code that it may carry. */
function describeErrors(codes: readonly ErrorCode[]): Record<string, unknown> {
  const byStatus = Map.groupBy(codes, code => catalogue[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, sameStatus]) => {
      const headers = new Set(sameStatus.flatMap(code => headersOf[code] ?? []));
      return [
        status,
        {
          description: sameStatus.map(code => `\`${code}\`: ${catalogue[code].message}`).join('\n\n'),
          ...(headers.size > 0
            ? {
                headers: Object.fromEntries(
                  Array.from(headers, name => [headerNames[name], { $ref: `#/components/headers/${name}` }]),
                ),
              }
            : {}),
          content: {
            'application/json': {
              schema: schemaRef('Failure'),
              examples: Object.fromEntries(
                sameStatus.map(code => [code, { $ref: `#/components/examples/${code}` }]),
              ),
            },
          },
        },
      ];
    }),
  );
}
