import type { Scope } from '../event/scope.ts';
import { type Json, type JsonObject, joinPath, requireStorableText, stringifyJson } from '../json/json.ts';
import { Budget, OverBudget } from './cel/budget.ts';
import { compileExpression, type Expression, evaluateToJson } from './cel/expression.ts';
import { printInteger } from './cel/numbers.ts';
import { toJson } from './cel/value.ts';
import { ExpressionError, readAt, readWithin } from './expression-error.ts';
import { getPath, type Path, parsePath, putField } from './path.ts';

/**
 * Values that take something from the event, at any depth of a configuration: `$event.payload.customer.id` takes
 * a value with its type, `{{ … }}` inside a text puts the value of a CEL expression there. Compiled once,
 * resolved for every event.
 */
export interface Template {
  readonly readsTraits: boolean;
  /** One budget for all of it, however many expressions it holds; or one that it shares with others. */
  resolve(scope: Scope, budget?: Budget): ResolvedValue;
  /** For whoever saves it or tries it out: throws a 400 where an expression in it has a value for no event. */
  check(): void;
}

type ResolvedValue =
  /** Undefined where the whole value is a reference to something absent. */
  | { readonly kind: 'resolved'; readonly value: Json | undefined }
  | { readonly kind: 'over_budget'; readonly reason: string };

/** Undefined: absent, to be left out. */
type Fill = (scope: Scope, budget: Budget) => Json | undefined;
type Compiled = Fill | { readonly constant: Json };

interface Gathered {
  traits: boolean;
  /** What is left to check, each at its path. */
  readonly checks: (() => void)[];
  readonly escapeText: Escape;
}

/** Applied to texts that come out of the event, where a destination would read more into them than text. */
export type Escape = (text: string) => string;
const asItIs: Escape = text => text;

/** Throws a 400 whose path points into the value, and whose message names the character. */
export function compileTemplate(value: Json, path: string, escapeText: Escape = asItIs): Template {
  requireStorableText(value, path);
  const gathered: Gathered = { traits: false, checks: [], escapeText };
  const compiled = compileValue(value, path, gathered);
  if (typeof compiled !== 'function') {
    const resolved: ResolvedValue = { kind: 'resolved', value: compiled.constant };
    return { readsTraits: false, resolve: () => resolved, check: () => {} };
  }
  return {
    readsTraits: gathered.traits,
    resolve(scope, budget = new Budget()) {
      try {
        return { kind: 'resolved', value: compiled(scope, budget) };
      } catch (error) {
        if (error instanceof OverBudget) return { kind: 'over_budget', reason: error.message };
        throw error;
      }
    },
    check() {
      for (const check of gathered.checks) check();
    },
  };
}

function compileValue(value: Json, path: string, gathered: Gathered): Compiled {
  if (typeof value === 'string') return readAt(path, () => compileText(value, path, gathered));
  if (typeof value !== 'object' || value === null) return { constant: value };
  if (Array.isArray(value)) return compileList(value, path, gathered);
  return compileObject(value, path, gathered);
}

function compileList(list: readonly Json[], path: string, gathered: Gathered): Compiled {
  const items = list.map((item, i) => compileValue(item, joinPath(path, i), gathered));
  if (items.every(isConstant)) return { constant: items.map(item => item.constant) };
  return (scope, budget) => {
    budget.spend(items.length);
    return items.map(item => fill(item, scope, budget)).filter(item => item !== undefined);
  };
}

function compileObject(object: JsonObject, path: string, gathered: Gathered): Compiled {
  const fields = Object.keys(object).map(key => ({
    key,
    value: compileValue(object[key] as Json, joinPath(path, key), gathered),
  }));
  if (fields.every(({ value }) => isConstant(value))) return { constant: object };
  return (scope, budget) => {
    budget.spend(fields.length);
    const filled: JsonObject = {};
    for (const { key, value } of fields) {
      const found = fill(value, scope, budget);
      if (found !== undefined) putField(filled, key, found);
    }
    return filled;
  };
}

const isConstant = (compiled: Compiled): compiled is { readonly constant: Json } =>
  typeof compiled !== 'function';

const fill = (compiled: Compiled, scope: Scope, budget: Budget): Json | undefined =>
  typeof compiled === 'function' ? compiled(scope, budget) : compiled.constant;

function compileText(text: string, path: string, gathered: Gathered): Compiled {
  if (/^\$event(?![A-Za-z0-9_])/.test(text)) return compileReference(text, gathered);
  return text.includes('{{') ? compileInterpolation(text, path, gathered) : { constant: text };
}

// --- $event.… --------------------------------------------------------------------------------------------

const eventFields = ['id', 'type', 'icon', 'sender_id', 'received_at', 'timestamp', 'link'] as const;
const roots = ['headers', 'payload', 'labels', 'entity', 'source'] as const;
type Root = (typeof roots)[number];

const isEventField = (name: unknown): name is (typeof eventFields)[number] =>
  eventFields.some(field => field === name);
const isRoot = (name: unknown): name is Root => roots.some(root => root === name);

function compileReference(text: string, gathered: Gathered): Fill {
  const start = '$event.'.length;
  if (text[start - 1] !== '.') throw new ExpressionError('$event. must be followed by a field', start - 1);
  const [name, ...rest] = readPath(text, start);
  if (isEventField(name)) {
    if (rest.length > 0) throw new ExpressionError(`$event.${name} has no fields`, start + name.length);
    return (scope, budget) =>
      take(toJson(scope.event[name] ?? null, budget) ?? undefined, scope, budget, gathered);
  }
  if (!isRoot(name)) throw new ExpressionError(`There is no $event.${name}; there are ${nameAll()}`, start);
  if (name === 'entity' && rest[0] !== 'kind' && rest[0] !== 'external_id') gathered.traits = true;
  return (scope, budget) => {
    const root = rootOf(scope, name);
    return take(root === undefined ? undefined : getPath(root, rest), scope, budget, gathered);
  };
}

/**
 * Conditions see an empty record where an event has no entity, source or headers, since they may ask for its fields.
 * A reference to all of it takes nothing.
 */
function rootOf(scope: Scope, name: Root): Json | undefined {
  if (name === 'payload' || name === 'labels') return scope[name];
  const record = (name === 'headers' ? scope.event.headers : scope[name]) ?? {};
  return Object.keys(record).length === 0 ? undefined : (record as JsonObject);
}

/** What is taken is shared, not copied, but counts as if it were: somebody will write it out. */
function take(value: Json | undefined, scope: Scope, budget: Budget, gathered: Gathered): Json | undefined {
  if (value === undefined) return undefined;
  budget.carryAll(value);
  return typeof value === 'string' ? escaped(value, scope, budget, gathered) : value;
}

/** Looks at each character, more than once. The event's link is ours, and would lead nowhere with marks in it. */
function escaped(text: string, scope: Scope, budget: Budget, { escapeText }: Gathered): string {
  if (text === scope.event.link) return text;
  if (escapeText !== asItIs) budget.spend(text.length >> 1);
  return escapeText(text);
}

const nameAll = (): string => [...eventFields, ...roots].join(', ');

const readPath = (text: string, start: number): Path => readWithin(start, () => parsePath(text.slice(start)));

// --- {{ … }} ---------------------------------------------------------------------------------------------

function compileInterpolation(text: string, path: string, gathered: Gathered): Fill {
  const parts: (string | Expression)[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{{', at);
    if (open < 0) break;
    const close = findClose(text, open + 2);
    if (close < 0) throw new ExpressionError('This {{ has no }}', open);
    const expression = readWithin(open + 2, () => compileExpression(text.slice(open + 2, close)));
    gathered.checks.push(() => readAt(path, () => readWithin(open + 2, expression.check)));
    parts.push(text.slice(at, open), expression);
    at = close + 2;
  }
  parts.push(text.slice(at));
  for (const part of parts) if (typeof part !== 'string' && part.readsTraits) gathered.traits = true;
  return (scope, budget) => {
    let filled = '';
    for (const part of parts) {
      const added =
        typeof part === 'string' ? part : escaped(printValue(part, scope, budget), scope, budget, gathered);
      filled += added;
      budget.build(filled.length, added.length);
    }
    return filled;
  };
}

/** Where the expression's own braces and texts have ended: `{{ {"a": "}}"}.a }}` closes at its last two. */
function findClose(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const character = text[i];
    if (character === '"' || character === "'") i = endOfLiteral(text, i);
    else if (character === '{') depth++;
    else if (character === '}') {
      if (depth === 0 && text[i + 1] === '}') return i;
      depth--;
    }
  }
  return -1;
}

/** The last character of the quoted text that begins here. */
function endOfLiteral(text: string, start: number): number {
  const quote = text[start] as string;
  const triple = text.startsWith(quote.repeat(3), start);
  const end = triple ? quote.repeat(3) : quote;
  for (let i = start + end.length; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text.startsWith(end, i)) return i + end.length - 1;
  }
  return text.length;
}

/** Absent and null are empty, objects and lists are JSON. */
function printValue(expression: Expression, scope: Scope, budget: Budget): string {
  const found = evaluateToJson(expression, scope, budget);
  if (found.kind === 'none' || found.value === null || isAbsentRoot(expression, scope)) return '';
  if (typeof found.value === 'string') return found.value;
  if (typeof found.value === 'bigint') return printInteger(found.value, budget);
  // Before it is written, since writing is most of the work.
  budget.carryAll(found.value);
  return stringifyJson(found.value);
}

function isAbsentRoot({ text }: Expression, scope: Scope): boolean {
  const name = text.trim().replace(/^event\.(?=headers$)/, '');
  return isRoot(name) && rootOf(scope, name) === undefined;
}
