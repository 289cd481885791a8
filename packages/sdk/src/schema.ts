/** The part of Standard Schema (version 1) that is used here; zod, Valibot, ArkType and others have it. */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
  };
}

type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly PathPart[] | undefined;
}

type PathPart = PropertyKey | { readonly key: PropertyKey };

/** What the schema makes of a value, with its defaults filled in. Throws a sentence that names each wrong field. */
export function checked(schema: StandardSchema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => {});
    throw new TypeError('A schema must be synchronous, and this one returns a promise.');
  }
  if (result.issues === undefined) return result.value;
  throw new TypeError(result.issues.map(sentence).join('; '));
}

function sentence({ message, path = [] }: SchemaIssue): string {
  const field = path.map(part => String(typeof part === 'object' ? part.key : part)).join('.');
  return field === '' ? message : `${field}: ${message}`;
}
