import { failure } from '@sluice/contract';
import { z } from 'zod';
import type { PublicOperation } from './operation.ts';

/** As much of a JSON Schema as the contract's shapes make use of. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly not?: JsonSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly examples?: readonly unknown[];
}

/** A shape that stands where it is used, such as that of a parameter. */
export function inlineSchema(shape: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  return schema;
}

/**
 * The shapes that the calls speak of, by name. zod writes the JSON Schema of OpenAPI 3.1 as it is; only the
 * addresses that it gives each schema must go.
 */
export function schemasOf(operations: readonly PublicOperation[]): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const named = [{ Failure: failure }, ...operations.map(({ schemas }) => schemas)].flatMap(Object.entries);
  for (const [id, schema] of named) if (!registry.has(schema)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: id => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema as JsonSchema]),
  );
}
