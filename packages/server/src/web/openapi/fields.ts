import type { JsonSchema } from './schemas.ts';

/** A line of the table that shows a shape. */
export interface Field {
  /** `events[].type` */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** What its value must be beyond its type, in words. */
  readonly rules: string;
}

/** A shape as a flat list of its fields, for a table. */
export function fieldsOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  prefix = '',
): Field[] {
  const whole = resolve(schema, schemas);
  if (whole.oneOf !== undefined) return whole.oneOf.flatMap(one => fieldsOf(one, schemas, prefix));
  return Object.entries(whole.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const field = resolve(property, schemas);
    const required = whole.required?.includes(key) ?? false;
    const row = {
      name,
      type: typeOf(field),
      required,
      description: field.description ?? '',
      rules: rulesOf(field),
    };
    const inside = field.items === undefined ? { of: field, name } : { of: field.items, name: `${name}[]` };
    return [row, ...fieldsOf(inside.of, schemas, `${inside.name}.`)];
  });
}

function resolve(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (schema.$ref === undefined) return schema;
  return { ...schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)], ...schema };
}

const typeOf = ({ type, format }: JsonSchema): string => {
  const name = typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
  return format === undefined ? name : `${name} (${format})`;
};

function rulesOf(schema: JsonSchema): string {
  const range = (least: number | undefined, most: number | undefined, what: string) =>
    most === undefined ? [] : [least ? `${least} to ${most} ${what}` : `at most ${most} ${what}`];
  const rules = [
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minItems, schema.maxItems, 'items'),
    ...(schema.pattern === undefined ? [] : [`matches \`${schema.pattern}\``]),
    ...(schema.not?.enum === undefined
      ? []
      : [`but not ${schema.not.enum.map(text => `\`${text}\``).join(' or ')}`]),
  ].join(', ');
  return rules === '' ? '' : `${rules.charAt(0).toUpperCase()}${rules.slice(1)}.`;
}
