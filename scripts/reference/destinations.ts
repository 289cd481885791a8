import { deliveryPolicy } from '../../packages/contract/src/dashboard-deliveries.ts';
import { describeKind, type KindDescription } from '../../packages/server/src/core/kinds/kind.ts';
import { destinationKinds } from '../../packages/server/src/delivery/destinations/registry.ts';
import { table } from './table.ts';

/** One section for each kind of destination, from what it says of itself. */
export function renderDestinations(): string {
  return `# Destinations

The kinds of destinations, as they describe themselves. [destinations.md](../destinations.md) tells how they are used.
Every kind takes a \`name\`, a \`config\` as below, and a \`policy\`, which is this unless you say otherwise:

${json(deliveryPolicy.parse({}))}

${destinationKinds.map(kind => renderKind(describeKind(kind))).join('\n')}`;
}

function renderKind({ kind, title, docs, secrets, examples, schema }: KindDescription): string {
  const rows = fieldsOf(schema as Schema, '', secrets);
  const fields = table(['Field', 'Type', 'Meaning'], rows);
  const shown = examples.map(({ title: what, config }) => `${what}:\n\n${json({ kind, config })}\n`);
  return [
    `## ${title}\n\n\`${kind}\`\n\n${docs}\n`,
    ...(rows.length > 0 ? [`${fields}\n`] : []),
    ...shown,
  ].join('\n');
}

interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Flat, with the fields of every variant; one that several variants have is told once. */
function fieldsOf(schema: Schema, prefix: string, secrets: readonly string[]): string[][] {
  const variants = schema.anyOf ?? schema.oneOf;
  const rows = new Map<string, string[]>();
  if (variants !== undefined) {
    for (const row of variants.flatMap(one => fieldsOf(one, prefix, secrets))) {
      const known = rows.get(row[0] ?? '');
      if (known === undefined) rows.set(row[0] ?? '', row);
      else if (known[1] !== row[1])
        known[1] = [...new Set([...(known[1] ?? '').split(' or '), row[1]])].join(' or ');
    }
    return [...rows.values()];
  }
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${prefix}${key}`;
    const meaning = [field.title, field.description].filter(Boolean).map(text => text?.replace(/\.?$/, '.'));
    if (secrets.includes(name)) meaning.push('Secret.');
    if (variants === undefined && schema.required?.includes(key) && prefix === '') meaning.push('Required.');
    return [[`\`${name}\``, typeOf(field), meaning.join(' ')], ...fieldsOf(field, `${name}.`, secrets)];
  });
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map(one => `\`${String(one)}\``).join(' or ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return [...new Set(variants.map(typeOf))].join(' or ');
  return schema.type ?? 'any';
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
