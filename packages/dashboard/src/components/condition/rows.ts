import { type Literal, unquote, writeLiteral } from './row-text.ts';

/**
 * Conditions as rows of field, operator and value. Rows write CEL, and CEL of the shape that they write is read
 * back into rows; whatever else can be said in CEL is said in the editor.
 */
export interface Row {
  readonly field: string;
  readonly operator: Operator;
  /** None for `is there`, any number for `is one of`, one for all others. */
  readonly values: readonly Literal[];
}

export interface JoinedRows {
  readonly join: 'and' | 'or';
  readonly rows: readonly Row[];
}

interface OperatorShape {
  readonly label: string;
  readonly takes: 'nothing' | 'a value' | 'a text' | 'values';
  write(field: string, value: string): string;
}

const compared = (label: string, sign: string): OperatorShape => ({
  label,
  takes: 'a value',
  write: (field, value) => `${field} ${sign} ${value}`,
});
const called = (label: string, method: string, not = ''): OperatorShape => ({
  label,
  takes: 'a text',
  write: (field, value) => `${not}${field}.${method}(${value})`,
});

export const operators = {
  '==': compared('is', '=='),
  '!=': compared('is not', '!='),
  '>': compared('is more than', '>'),
  '>=': compared('is at least', '>='),
  '<': compared('is less than', '<'),
  '<=': compared('is at most', '<='),
  in: { label: 'is one of', takes: 'values', write: (field, value) => `${field} in [${value}]` },
  '!in': { label: 'is none of', takes: 'values', write: (field, value) => `!(${field} in [${value}])` },
  contains: called('contains', 'contains'),
  '!contains': called('does not contain', 'contains', '!'),
  startsWith: called('starts with', 'startsWith'),
  endsWith: called('ends with', 'endsWith'),
  re2: {
    label: 'matches pattern',
    takes: 'a text',
    write: (field, value) => `re2(${field}, ${value})`,
  },
  has: { label: 'exists', takes: 'nothing', write: field => `has(${field})` },
  '!has': { label: 'does not exist', takes: 'nothing', write: field => `!has(${field})` },
} as const satisfies Record<string, OperatorShape>;

export type Operator = keyof typeof operators;

export const toCondition = ({ join, rows }: JoinedRows): string =>
  rows.map(writeRow).join(join === 'and' ? ' && ' : ' || ');

const writeRow = ({ field, operator, values }: Row): string =>
  operators[operator].write(field, values.map(writeLiteral).join(', '));

const PATH = String.raw`(?:event|payload|labels|entity|source)(?:\.[A-Za-z_]\w*(?!\w|\s*\()|\[\d+\]|\["(?:[^"\\\n]|\\.)*"\])+`;
const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"|'[^'\\\n]*'`;
const VALUE = String.raw`${QUOTED}|true\b|false\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`;

const VALUES = String.raw`(?:(?:${VALUE})(?:\s*,\s*(?:${VALUE}))*)?`;

/** What a row may look like; the groups are the field, then the sign or name, then the values. */
const shapes: readonly [RegExp, (sign: string) => string][] = [
  [pattern(`(${PATH})\\s*(==|!=|>=|<=|>|<)\\s*(${VALUE})`), sign => sign],
  [pattern(`(${PATH})\\s+(in)\\s*\\[\\s*(${VALUES})\\s*\\]`), sign => sign],
  [pattern(`!\\s*\\(\\s*(${PATH})\\s+(in)\\s*\\[\\s*(${VALUES})\\s*\\]\\s*\\)`), sign => `!${sign}`],
  [pattern(`(${PATH})\\.(contains|startsWith|endsWith)\\(\\s*(${QUOTED})\\s*\\)`), sign => sign],
  [pattern(`!(${PATH})\\.(contains)\\(\\s*(${QUOTED})\\s*\\)`), sign => `!${sign}`],
  [pattern(`re2\\(\\s*(${PATH})()\\s*,\\s*(${QUOTED})\\s*\\)`), () => 're2'],
  [pattern(`has\\(\\s*(${PATH})\\s*()()\\)`), () => 'has'],
  [pattern(`!\\s*has\\(\\s*(${PATH})\\s*()()\\)`), () => '!has'],
];

function pattern(source: string): RegExp {
  return new RegExp(`\\s*${source}\\s*`, 'y');
}

/** Null where it says more than rows can. */
export function fromCondition(text: string): JoinedRows | null {
  if (text.trim() === '') return { join: 'and', rows: [] };
  const rows: Row[] = [];
  const joins = new Set<string>();
  let at = 0;
  for (;;) {
    const found = readRow(text, at);
    if (found === null) return null;
    rows.push(found.row);
    at = found.end;
    if (at === text.length) break;
    const sign = text.slice(at, at + 2);
    if (sign !== '&&' && sign !== '||') return null;
    joins.add(sign);
    at += 2;
  }
  if (joins.size > 1) return null;
  return { join: joins.has('||') ? 'or' : 'and', rows };
}

function readRow(text: string, at: number): { row: Row; end: number } | null {
  for (const [shape, operatorOf] of shapes) {
    shape.lastIndex = at;
    const match = shape.exec(text);
    if (match === null) continue;
    const [, field = '', sign = '', given = ''] = match;
    const values = readValues(given);
    if (values === null) return null;
    return { row: { field, operator: operatorOf(sign) as Operator, values }, end: shape.lastIndex };
  }
  return null;
}

function readValues(given: string): Literal[] | null {
  const values: Literal[] = [];
  for (const [word] of given.matchAll(new RegExp(VALUE, 'g'))) {
    const text = /^["']/.test(word) ? unquote(word) : null;
    if (text === null && /^["']/.test(word)) return null;
    values.push(text === null ? { kind: 'word', text: word } : { kind: 'text', text });
  }
  return values;
}
