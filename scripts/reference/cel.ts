import { functions, methods } from '../../packages/server/src/core/expressions/cel/functions.ts';
import type { Overload } from '../../packages/server/src/core/expressions/cel/overload.ts';
import { roots } from '../../packages/server/src/core/expressions/cel/roots.ts';
import {
  type CelEntry,
  functionEntries,
  macroEntries,
  methodEntries,
  operatorEntries,
  sampleOrder,
} from './cel-functions.ts';
import { json } from './kinds.ts';
import { table } from './table.ts';

/** Every name, function, method, macro and operator of an expression, by the tables that evaluate them. */
export function renderCel(): string {
  return `# Functions of conditions

Everything that a [condition](../conditions.md), a key or a \`{{ … }}\` can call. The signatures come from the table that the
evaluator itself chooses from, and a test evaluates every example.

The examples read an event of the type \`order.created\` with this payload:

${json(sampleOrder)}

## Names

${table(
  ['Name', 'Fields'],
  Object.entries(roots).map(([name, type]) => [
    `\`${name}\``,
    'fields' in type && type.fields !== undefined
      ? Object.entries(type.fields)
          .map(([field, { kind }]) => `\`${field}\` (${wordOf(kind)})`)
          .join(', ')
      : 'whatever the event holds',
  ]),
)}

## Functions

${Object.entries(functions)
  .map(([name, overloads]) => section(`${name}()`, overloads.map(asFunction(name)), functionEntries[name]))
  .join('\n')}
## Methods

${Object.entries(methods)
  .map(([name, overloads]) => section(`.${name}()`, overloads.map(asMethod(name)), methodEntries[name]))
  .join('\n')}
## Macros

${Object.entries(macroEntries)
  .map(([name, entry]) => section(name, [], entry))
  .join('\n')}
## Operators

${table(
  ['Operator', 'Meaning', 'Example'],
  Object.entries(operatorEntries).map(([name, { says, examples }]) => [
    `\`${name}\``,
    says,
    examples.map(([expression, value]) => `\`${expression}\` is \`${JSON.stringify(value)}\``).join('; '),
  ]),
)}
`;
}

function section(title: string, signatures: readonly string[], entry: CelEntry | undefined): string {
  return `### ${title}

${signatures.length > 0 ? `${signatures.map(signature => `\`${signature}\``).join(' · ')}\n\n` : ''}${entry?.says ?? ''}

${table(
  ['Example', 'Value'],
  (entry?.examples ?? []).map(([expression, value]) => [`\`${expression}\``, `\`${JSON.stringify(value)}\``]),
)}
`;
}

const asFunction = (name: string) => (overload: Overload) =>
  `${name}(${overload.params.map(wordOf).join(', ')}) → ${resultOf(overload)}`;

const asMethod = (name: string) => (overload: Overload) => {
  const [receiver = 'any', ...args] = overload.params;
  return `${wordOf(receiver)}.${name}(${args.map(wordOf).join(', ')}) → ${resultOf(overload)}`;
};

function resultOf({ result, params }: Overload): string {
  if (typeof result !== 'function') return wordOf(result.kind);
  return wordOf(result(params.map(() => ({ kind: 'dyn' }) as const)).kind);
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  bool: 'true or false',
  map: 'object',
  timestamp: 'time',
  dyn: 'any',
};
const wordOf = (kind: string): string => words[kind] ?? kind;
