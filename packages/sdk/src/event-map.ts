/**
 * Event types and what their payloads look like, as the application declares them: either as a type,
 * `createClient<{ 'order.paid': { order: number } }>(…)`, or by schemas of any library that speaks Standard Schema.
 */
export type EventMap = Readonly<Record<string, object>>;

/** Without a map every type is taken, with any object as its payload. */
export type AnyEvents = Record<string, object>;

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
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Schemas<Events extends EventMap> = {
  readonly [Type in keyof Events]?: StandardSchema<Events[Type]>;
};

/** What is wrong with a payload in one sentence, or null. A schema that has to wait for something is not asked. */
export function faultIn(schema: StandardSchema | undefined, payload: unknown): string | null {
  if (schema === undefined) return null;
  const result = schema['~standard'].validate(payload);
  if (result instanceof Promise) {
    result.catch(() => {});
    return 'Its schema answers with a promise; only schemas that answer at once can be used.';
  }
  if (result.issues === undefined) return null;
  return result.issues
    .map(({ message, path = [] }) => [pathOf(path), message].filter(Boolean).join(': '))
    .join('; ');
}

const pathOf = (path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string =>
  path.map(part => String(typeof part === 'object' ? part.key : part)).join('.');
