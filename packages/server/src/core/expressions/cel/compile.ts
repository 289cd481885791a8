import type { Scope } from '../../event/scope.ts';
import type { JsonObject } from '../../json/json.ts';
import { ExpressionError } from '../expression-error.ts';
import { putField } from '../path.ts';
import type { Code, Frame, Operator, Surroundings } from './code.ts';
import { functions, methods } from './functions.ts';
import { compileMacro, isMacro } from './macros.ts';
import { arithmetic, comparisons } from './operators.ts';
import type { CelNode } from './parse.ts';
import { compilePattern } from './regex.ts';
import { CelFailure, type CelValue, isList, isMap, isNumber, nameType } from './value.ts';

/**
 * Turns a checked expression into a function. Errors are values (see `CelFailure`), so that they can be absorbed as
 * CEL absorbs them; only an overspent budget is thrown. What repeats, in macros and over long texts and lists,
 * is counted on the budget; the rest is bounded by the size of the expression.
 */
export function compileNode(node: CelNode, around: Surroundings): Code {
  switch (node.op) {
    case 'value':
      return compileLiteral(node);
    case 'id':
      return compileVariable(node, around);
    case '.':
      return compileField(node, around);
    case '[]':
      return compileIndex(node, around);
    case 'list':
      return compileList(node.args, around);
    case 'map':
      return compileMap(node.args, around);
    case '?:':
      return compileChoice(node, around);
    case '||':
      return compileLogic(node, true, around);
    case '&&':
      return compileLogic(node, false, around);
    case '!_':
      return compileNot(node, around);
    case '-_': {
      const operand = compileNode(node.args, around);
      return compileOperation(node, () => 0n, operand, arithmetic['-']);
    }
    case 'call':
      return compileCall(node, node.args[0], null, node.args[1], around);
    case 'rcall':
      return compileCall(node, node.args[0], node.args[1], node.args[2], around);
    case '.?':
    case '[?]':
      throw new ExpressionError('Optional fields are not offered; use has()', node.start);
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%': {
      const [left, right] = node.args;
      const operator = { ...arithmetic, ...comparisons }[node.op];
      return compileOperation(node, compileNode(left, around), compileNode(right, around), operator);
    }
  }
}

/** The expression's own words, for notes. */
function wordsOf(node: CelNode): string {
  const words = node.input.slice(node.start, node.end);
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}

const mismatch = (node: CelNode, why: string) => new CelFailure('mismatch', `${wordsOf(node)}: ${why}`);

function compileLiteral(node: CelNode & { op: 'value' }): Code {
  const value = node.args;
  if (typeof value === 'object' && value !== null)
    throw new ExpressionError('Bytes and unsigned integers are not offered', node.start);
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    throw new ExpressionError('Text may hold neither NUL characters nor lone surrogates', node.start);
  return () => value;
}

const roots: readonly string[] = ['event', 'payload', 'labels', 'entity', 'source'] satisfies (keyof Scope)[];

function compileVariable(node: CelNode & { op: 'id' }, around: Surroundings): Code {
  const name = node.args;
  const slot = around.variables.get(name);
  if (slot !== undefined) return ({ locals }) => locals[slot] as CelValue;
  if (!roots.includes(name)) throw new ExpressionError(`${name} is not offered here`, node.start);
  if (name === 'entity') around.needs.traits = true;
  const root = name as keyof Scope;
  return ({ scope }) => scope[root] as CelValue;
}

function compileField(node: CelNode & { op: '.' }, around: Surroundings): Code {
  const [owner, field] = node.args;
  const isEntityRef =
    owner.op === 'id' && owner.args === 'entity' && (field === 'kind' || field === 'external_id');
  // Which entity an event is about is known without reading that entity.
  const object = compileNode(owner, isEntityRef ? { ...around, needs: { slots: 0, traits: false } } : around);
  const absent = new CelFailure('absent', `${wordsOf(node)} is absent`);
  return frame => {
    const value = object(frame);
    if (value instanceof CelFailure) return value;
    if (!isMap(value)) return mismatch(node, `${wordsOf(owner)} is ${nameType(value)}, which has no fields`);
    return Object.hasOwn(value, field) ? (value[field] ?? null) : absent;
  };
}

function compileIndex(node: CelNode & { op: '[]' }, around: Surroundings): Code {
  const [owner, key] = node.args;
  const [container, index] = [compileNode(owner, around), compileNode(key, around)];
  const absent = new CelFailure('absent', `${wordsOf(node)} is absent`);
  return frame => {
    const value = container(frame);
    if (value instanceof CelFailure) return value;
    const at = index(frame);
    if (at instanceof CelFailure) return at;
    if (isList(value) && isNumber(at)) return value[Number(at)] ?? (Number(at) in value ? null : absent);
    if (isMap(value) && typeof at === 'string')
      return Object.hasOwn(value, at) ? (value[at] ?? null) : absent;
    return mismatch(node, `${nameType(value)} has no [${nameType(at)}]`);
  };
}

function compileList(nodes: readonly CelNode[], around: Surroundings): Code {
  const items = nodes.map(node => compileNode(node, around));
  return frame => evaluateAll(items, frame);
}

function evaluateAll(codes: readonly Code[], frame: Frame): CelValue[] | CelFailure {
  const values: CelValue[] = [];
  for (const code of codes) {
    const value = code(frame);
    if (value instanceof CelFailure) return value;
    values.push(value);
  }
  return values;
}

function compileMap(entries: readonly (readonly [CelNode, CelNode])[], around: Surroundings): Code {
  const fields = entries.map(([key, value]) => ({
    node: key,
    key: compileNode(key, around),
    value: compileNode(value, around),
  }));
  return frame => {
    const map: Record<string, CelValue> = {};
    for (const field of fields) {
      const key = field.key(frame);
      if (key instanceof CelFailure) return key;
      if (typeof key !== 'string') return mismatch(field.node, `a key must be text, not ${nameType(key)}`);
      const value = field.value(frame);
      if (value instanceof CelFailure) return value;
      putField(map as JsonObject, key, value as JsonObject);
    }
    return map;
  };
}

function compileChoice(node: CelNode & { op: '?:' }, around: Surroundings): Code {
  const [condition, yes, no] = [
    compileNode(node.args[0], around),
    compileNode(node.args[1], around),
    compileNode(node.args[2], around),
  ];
  return frame => {
    const chosen = condition(frame);
    if (chosen === true) return yes(frame);
    if (chosen === false) return no(frame);
    return chosen instanceof CelFailure ? chosen : notBoolean(node.args[0], chosen);
  };
}

const notBoolean = (node: CelNode, value: CelValue) =>
  mismatch(node, `is ${nameType(value)}, not true or false`);

/** `||` is decided by one true side and `&&` by one false side, whatever became of the other. */
function compileLogic(node: CelNode & { op: '||' | '&&' }, decisive: boolean, around: Surroundings): Code {
  const [leftNode, rightNode] = node.args;
  const [left, right] = [compileNode(leftNode, around), compileNode(rightNode, around)];
  return frame => {
    const first = left(frame);
    if (first === decisive) return decisive;
    const second = right(frame);
    if (second === decisive) return decisive;
    if (first instanceof CelFailure) return first;
    if (typeof first !== 'boolean') return notBoolean(leftNode, first);
    if (second instanceof CelFailure || typeof second === 'boolean') return second;
    return notBoolean(rightNode, second);
  };
}

function compileNot(node: CelNode & { op: '!_' }, around: Surroundings): Code {
  const operand = compileNode(node.args, around);
  return frame => {
    const value = operand(frame);
    if (value instanceof CelFailure) return value;
    return typeof value === 'boolean' ? !value : notBoolean(node.args, value);
  };
}

function compileOperation(node: CelNode, left: Code, right: Code, operate: Operator): Code {
  return frame => {
    const a = left(frame);
    if (a instanceof CelFailure) return a;
    const b = right(frame);
    if (b instanceof CelFailure) return b;
    const result = operate(a, b, frame.budget);
    if (result === undefined) return mismatch(node, `does not go with ${nameType(a)} and ${nameType(b)}`);
    return result instanceof CelFailure ? mismatch(node, result.note) : result;
  };
}

function compileCall(
  node: CelNode,
  name: string,
  receiver: CelNode | null,
  args: readonly CelNode[],
  around: Surroundings,
): Code {
  if (isMacro(name, receiver)) return compileMacro({ node, name, receiver, args }, around, compileNode);
  if (name === 'matches')
    throw new ExpressionError(
      'matches() is not offered, since it can take forever; use re2(text, pattern)',
      node.start,
    );
  if (name === 're2' && receiver === null) return compileRe2(node, args, around);
  const table = receiver === null ? functions : methods;
  const call = Object.hasOwn(table, name) ? table[name] : undefined;
  if (call === undefined) throw new ExpressionError(`${name}() is not offered`, node.start);
  const codes = (receiver === null ? args : [receiver, ...args]).map(arg => compileNode(arg, around));
  return frame => {
    const values = evaluateAll(codes, frame);
    if (values instanceof CelFailure) return values;
    const result = call(values, frame.budget);
    if (result === undefined)
      return mismatch(node, `${name}() does not go with ${values.map(nameType).join(' and ')}`);
    return result instanceof CelFailure
      ? new CelFailure(result.kind, `${wordsOf(node)}: ${result.note}`)
      : result;
  };
}

/** The pattern is a literal, so that a bad one is refused when it is saved and a good one is compiled once. */
function compileRe2(node: CelNode, [text, pattern]: readonly CelNode[], around: Surroundings): Code {
  if (text === undefined || pattern?.op !== 'value' || typeof pattern.args !== 'string')
    throw new ExpressionError(
      're2(text, pattern) takes its pattern as a literal text',
      pattern?.start ?? node.start,
    );
  const regex = compilePatternAt(pattern.args, pattern.start);
  const subject = compileNode(text, around);
  return frame => {
    const value = subject(frame);
    if (value instanceof CelFailure) return value;
    if (typeof value !== 'string') return mismatch(node, `re2() looks at text, not at ${nameType(value)}`);
    return regex.test(value, frame.budget);
  };
}

function compilePatternAt(pattern: string, position: number) {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw error instanceof ExpressionError ? error.within(position) : error;
  }
}
