import type { KindDescription } from '../../packages/server/src/core/kinds/kind.ts';
import { table } from './table.ts';

/** The kinds with their pages, which lie in this folder. */
export const kindTable = (what: string, folder: string, kinds: readonly KindDescription[]): string =>
  table(
    [what, 'Kind', ''],
    kinds.map(({ kind, title, docs }) => [
      `[${title}](${folder}/${kind}.md)`,
      `\`${kind}\``,
      /^.*?[.:;](?=\s|$)/s.exec(docs)?.[0].replace(/[:;]$/, '.') ?? docs,
    ]),
  );

/** The page of one kind of step or destination, from what it says of itself. */
export function renderKind({ kind, title, docs, secrets, examples, schema }: KindDescription): string {
  const rows = fieldsOf(schema as Schema, '', secrets);
  const fields = table(['Field', 'Type', 'Meaning'], rows);
  const shown = examples.map(({ title: what, config }) => `${what}:\n\n${json({ kind, config })}\n`);
  return [
    `# ${title}\n\n${docs}\n\nAs a value its kind is \`${kind}\`.\n`,
    ...(rows.length > 0 ? [`## Fields\n\n${fields}\n`] : []),
    ...(shown.length > 0 ? ['## Examples\n', ...shown] : []),
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
    return [
      [`\`${name}\``, typeOf(field), asText(meaning.join(' '))],
      ...fieldsOf(field, `${name}.`, secrets),
    ];
  });
}

/** As it is written: Markdown would take `<label>` for a tag. */
const asText = (text: string): string => text.replaceAll('<', '&lt;');

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map(one => `\`${String(one)}\``).join(' or ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return [...new Set(variants.map(typeOf))].join(' or ');
  return schema.type ?? 'any';
}

export const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
