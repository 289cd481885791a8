import { functions, methods } from '../../src/core/expressions/cel/functions.ts';
import { operators } from '../../src/core/expressions/cel/operators.ts';
import type { Overload } from '../../src/core/expressions/cel/overload.ts';
import type { CelType } from '../../src/core/expressions/cel/types.ts';
import type { ValueKind } from '../../src/core/expressions/cel/value.ts';

/**
 * Conditions by the dozen, from CEL's grammar and from the very functions and operators that there are. The same
 * seed makes the same ones. Mostly an argument is of the kind that is asked for, and sometimes of any.
 */
export interface ConditionGenerator {
  /** With payload fields, of which nothing is known, and now and then a broken character. */
  any(): string;
  /** Whose every part has a type that is known before there is an event. */
  known(): string;
}

const kinds: readonly ValueKind[] = [
  'null',
  'bool',
  'number',
  'string',
  'timestamp',
  'duration',
  'list',
  'map',
];

export const samples: Readonly<Record<ValueKind, readonly string[]>> = {
  null: ['null'],
  bool: ['true', 'false'],
  number: ['0', '1', '-7', '2.5', '.5', '1e3', '0x1F', '9007199254740993'],
  string: ['"a"', "'b c'", 'event.type', 'event.id', '"😀x"', 'r"\\d"', '"""x"""', '"12"'],
  timestamp: ['event.received_at', 'event.timestamp', 'timestamp("2026-01-31T12:00:00Z")'],
  duration: ['duration("90m")', 'duration("-1.5s")', '(event.received_at - event.timestamp)'],
  list: ['[1, 2, 3]', '[4]', '[0.5, 7]'],
  map: ['{"a": 1, "b": 2}', '{"k": 3}'],
};

const dynamic = [
  'payload.n',
  'payload.t',
  'payload.list',
  'payload.map.a',
  'payload.absent',
  'labels.x',
  'dyn(1)',
];
const noise = [
  '(',
  ')',
  '[',
  '"',
  "'",
  '.',
  '?',
  ':',
  ' ',
  '\\',
  '\0',
  '😀',
  '\ud800',
  'in',
  '&&',
  '`',
  '0x',
  'é',
  '!',
];

interface Made {
  readonly name: string;
  readonly overload: Overload;
  readonly isMethod: boolean;
}

const calls: readonly Made[] = [
  ...Object.entries(functions).map(([name, all]) => ({ name, all, isMethod: false })),
  ...Object.entries(methods).map(([name, all]) => ({ name, all, isMethod: true })),
].flatMap(({ name, all, isMethod }) => all.map(overload => ({ name, overload, isMethod })));

const infix = Object.entries(operators)
  .filter(([name]) => name !== '[]')
  .flatMap(([name, all]) => all.map((overload: Overload) => ({ name, overload })));

const kindOfResult = ({ result }: Overload): CelType['kind'] =>
  typeof result === 'function' ? 'dyn' : result.kind;

export function conditionGenerator(seed: number): ConditionGenerator {
  let state = seed;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const chance = (share: number): boolean => random() < share;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

  let allowsDyn = true;
  let variables: readonly { name: string; kind: ValueKind | 'dyn' }[] = [];

  /** What is asked for, or something else where a mistake is due. */
  const argument = (kind: ValueKind | 'any', depth: number): string =>
    expression(kind === 'any' || chance(0.06) ? pick(kinds) : kind, depth);

  function expression(kind: ValueKind, depth: number): string {
    const fitting = variables.filter(variable => variable.kind === kind);
    if (fitting.length > 0 && chance(0.3)) return pick(fitting).name;
    if (allowsDyn && chance(0.15)) return pick(dynamic);
    if (depth <= 0) return pick(samples[kind]);
    const forms = formsOf(kind);
    return chance(0.15) ? pick(samples[kind]) : pick(forms)(depth - 1);
  }

  type Form = (depth: number) => string;

  function formsOf(kind: ValueKind): readonly Form[] {
    const forms: Form[] = [
      depth => `(${expression(kind, depth)})`,
      depth => `(${argument('bool', depth)} ? ${expression(kind, depth)} : ${expression(kind, depth)})`,
      depth => bind(kind, depth),
    ];
    // Lists are of numbers, so that what is in one is known; those of texts would make mixed ones.
    const isMixing = kind === 'list' && !allowsDyn;
    const fittingCalls = isMixing ? [] : calls.filter(({ overload }) => kindOfResult(overload) === kind);
    if (fittingCalls.length > 0) forms.push(...repeat(3, depth => call(pick(fittingCalls), depth)));
    const fittingInfix = infix.filter(({ overload }) => kindOfResult(overload) === kind);
    if (fittingInfix.length > 0) forms.push(...repeat(3, depth => operation(pick(fittingInfix), depth)));
    if (kind === 'bool') forms.push(...booleanForms);
    if (kind === 'number') forms.push(depth => `-${argument('number', depth)}`, ...indexForms);
    if (kind === 'list') forms.push(...listForms, ...(allowsDyn ? mixedLists : []));
    if (kind === 'map') forms.push(depth => `{"a": ${expression('number', depth)}}`);
    return forms;
  }

  const repeat = (times: number, form: Form): Form[] => Array.from({ length: times }, () => form);

  function call({ name, overload, isMethod }: Made, depth: number): string {
    const args = overload.params.map(param => argument(param, depth));
    if (chance(0.02)) args.push(pick(samples.number));
    const [receiver, ...rest] = args;
    return isMethod ? `${receiver}.${name}(${rest.join(', ')})` : `${name}(${args.join(', ')})`;
  }

  const operation = ({ name, overload }: { name: string; overload: Overload }, depth: number): string => {
    const [left = 'any', right = 'any'] = overload.params;
    // Two sides of any kind are usually of the same.
    const kind = left === 'any' && right === 'any' ? pick(kinds) : null;
    return `(${argument(kind ?? left, depth)} ${name} ${argument(kind ?? right, depth)})`;
  };

  function withVariable(kind: ValueKind | 'dyn', write: (name: string) => string): string {
    const outer = variables;
    const name = pick(['x', 'y', 'item']);
    variables = [...outer.filter(variable => variable.name !== name), { name, kind }];
    const written = write(name);
    variables = outer;
    return written;
  }

  function bind(kind: ValueKind, depth: number): string {
    const bound = pick(kinds);
    const value = expression(bound, depth);
    return withVariable(bound, name => `cel.bind(${name}, ${value}, ${expression(kind, depth)})`);
  }

  function loop(macro: string, depth: number, write: (depth: number) => string): string {
    const range = chance(0.7) ? 'list' : 'map';
    const over = argument(range, depth);
    return withVariable(
      range === 'list' ? 'number' : 'string',
      name => `${over}.${macro}(${name}, ${write(depth)})`,
    );
  }

  const booleanForms: readonly Form[] = [
    depth => `(${argument('bool', depth)} && ${argument('bool', depth)})`,
    depth => `(${argument('bool', depth)} || ${argument('bool', depth)})`,
    depth => `!${argument('bool', depth)}`,
    depth => `has(${argument('map', depth)}.${pick(['a', 'b', 'k'])})`,
    depth => `re2(${argument('string', depth)}, ${pick(['"a+"', "r'^\\w$'", '"("', 'event.type'])})`,
    depth => loop(pick(['all', 'exists', 'exists_one']), depth, inner => argument('bool', inner)),
  ];
  const indexForms: readonly Form[] = [
    depth => `${argument('list', depth)}[${argument('number', depth)}]`,
    depth => `${argument('map', depth)}[${argument('string', depth)}]`,
    depth => `${argument('map', depth)}.${pick(['a', 'b', 'k'])}`,
  ];
  const listForms: readonly Form[] = [
    depth => `[${expression('number', depth)}, ${expression('number', depth)}]`,
    depth => `(${expression('list', depth)} + ${expression('list', depth)})`,
    depth => loop('map', depth, inner => expression('number', inner)),
    depth => loop('map', depth, inner => `${argument('bool', inner)}, ${expression('number', inner)}`),
    depth => `${argument('list', depth)}.filter(z, ${argument('bool', depth)})`,
  ];
  const mixedLists: readonly Form[] = [() => '[]', () => '[1, "a", null]'];

  function broken(text: string): string {
    const at = Math.floor(random() * (text.length + 1));
    return text.slice(0, at) + (chance(0.5) ? pick(noise) : '') + text.slice(at + (chance(0.5) ? 1 : 0));
  }

  const generate = (dyn: boolean): string => {
    allowsDyn = dyn;
    variables = [];
    return expression(chance(0.9) ? 'bool' : pick(kinds), 1 + Math.floor(random() * 4));
  };

  return {
    any: () => (chance(0.15) ? broken(generate(true)) : generate(true)),
    known: () => generate(false),
  };
}
