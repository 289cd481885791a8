import type { Scope } from '../../event/scope.ts';
import type { JsonObject } from '../../json/json.ts';
import { ExpressionError, readWithin } from '../expression-error.ts';
import { putField } from '../path.ts';
import { Budget } from './budget.ts';
import type { Code, Frame, Surroundings } from './code.ts';
import { overloadsOf } from './functions.ts';
import { compileBind, compileLoop } from './macros.ts';
import { absentEntry, fieldOf, negation, operators } from './operators.ts';
import { chooseByValues, chooseForTwo, type Overload } from './overload.ts';
import { compilePattern } from './regex.ts';
import { roots } from './roots.ts';
import type { CelNode, Literal, Operator } from './syntax.ts';
import { CelFailure, type CelValue, type Evaluated, isMap, nameKindOf } from './value.ts';

/**
 * Turns an expression into a function, with every name in it resolved. Errors are values (see `CelFailure`), so that
 * they can be absorbed as CEL absorbs them; only an overspent budget is thrown. What repeats, in macros and over
 * long texts and lists, is counted on the budget; the rest is bounded by the size of the expression.
 */
export function compileNode(node: CelNode, around: Surroundings): Code {
  switch (node.op) {
    case 'literal':
      return compileLiteral(node.value);
    case 'name':
      return compileName(node, around);
    case 'field':
      return compileField(node, around);
    case 'index':
      return compileIndex(node, around);
    case 'list':
      return compileList(node.items, around);
    case 'map':
      return compileMap(node.entries, around);
    case 'choice':
      return compileChoice(node, around);
    case 'or':
      return compileLogic(node, true, around);
    case 'and':
      return compileLogic(node, false, around);
    case 'not':
      return compileNot(node.operand, around);
    case 'negate':
      return compileUse(node, '-', negation, [node.operand], around);
    case 'operation':
      return compileOperation(node, around);
    case 'call':
      return compileCall(node, around);
    case 're2':
      return compileRe2(node, around);
    case 'has':
      return compileHas(node.field, around);
    case 'bind':
      return compileBind(node, around, compileNode);
    case 'loop':
      return compileLoop(node, around, compileNode);
  }
}

type NodeOf<Op extends CelNode['op']> = CelNode & { op: Op };

/** The expression's own words, for notes. */
function wordsOf({ start, end }: CelNode, { text }: Surroundings): string {
  // Half a character could be stored nowhere.
  return end - start > 80
    ? `${text.slice(start, start + 79).replace(/[\ud800-\udbff]$/, '')}…`
    : text.slice(start, end);
}

const mismatch = (node: CelNode, around: Surroundings, why: string) =>
  new CelFailure('mismatch', `${wordsOf(node, around)}: ${why}`);

const compileLiteral =
  (value: Literal): Code =>
  () =>
    value;

function compileName({ name, isRoot, start }: NodeOf<'name'>, around: Surroundings): Code {
  const slot = isRoot ? undefined : around.variables.get(name);
  if (slot !== undefined) return ({ locals }) => locals[slot] as CelValue;
  if (name === 'type') throw new ExpressionError('"type" is a built-in name in CEL: write event.type', start);
  if (!Object.hasOwn(roots, name))
    throw new ExpressionError(
      `Unknown variable: ${name}; there are event, payload, labels, entity and source`,
      start,
    );
  if (name === 'entity') around.needs.traits = true;
  const root = name as keyof Scope;
  return ({ scope }) => scope[root] as CelValue;
}

function compileField(node: NodeOf<'field'>, around: Surroundings): Code {
  const { owner, name } = node;
  const isEntityRef =
    owner.op === 'name' && owner.name === 'entity' && (name === 'kind' || name === 'external_id');
  // Which entity an event is about is known without reading that entity.
  const object = compileNode(owner, isEntityRef ? { ...around, needs: { slots: 0, traits: false } } : around);
  const absent = new CelFailure('absent', `${wordsOf(node, around)} is absent`);
  return frame => {
    const value = object(frame);
    if (value instanceof CelFailure) return value;
    if (!isMap(value))
      return mismatch(node, around, `${wordsOf(owner, around)} is ${nameKindOf(value)}, which has no fields`);
    const found = fieldOf(value, name);
    return found === absentEntry ? absent : found;
  };
}

function compileIndex(node: NodeOf<'index'>, around: Surroundings): Code {
  const [container, index] = [compileNode(node.owner, around), compileNode(node.key, around)];
  const absent = new CelFailure('absent', `${wordsOf(node, around)} is absent`);
  return frame => {
    const value = container(frame);
    if (value instanceof CelFailure) return value;
    const at = index(frame);
    if (at instanceof CelFailure) return at;
    const chosen = chooseForTwo(operators['[]'], value, at);
    if (chosen === undefined)
      return mismatch(node, around, `${nameKindOf(value)} has no [${nameKindOf(at)}]`);
    const found = chosen.run(frame.budget, value, at);
    return found === absentEntry ? absent : found;
  };
}

function compileList(nodes: readonly CelNode[], around: Surroundings): Code {
  const constants = literalsOf(nodes);
  if (constants !== null) return () => constants;
  const items = nodes.map(node => compileNode(node, around));
  return frame => {
    frame.budget.collect(items.length);
    return evaluateAll(items, frame);
  };
}

/** Null unless all of them are literals. What is made of those is made once. */
function literalsOf(nodes: readonly CelNode[]): readonly Literal[] | null {
  const literals = nodes.filter(node => node.op === 'literal');
  return literals.length === nodes.length ? literals.map(({ value }) => value) : null;
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
    frame.budget.collect(fields.length);
    const map: Record<string, CelValue> = {};
    for (const field of fields) {
      const key = field.key(frame);
      if (key instanceof CelFailure) return key;
      if (typeof key !== 'string')
        return mismatch(field.node, around, `a key must be text, not ${nameKindOf(key)}`);
      if (Object.hasOwn(map, key)) return mismatch(field.node, around, 'a key appears twice');
      const value = field.value(frame);
      if (value instanceof CelFailure) return value;
      putField(map as JsonObject, key, value as JsonObject);
    }
    return map;
  };
}

function compileChoice(node: NodeOf<'choice'>, around: Surroundings): Code {
  const condition = compileNode(node.condition, around);
  const [yes, no] = [compileNode(node.yes, around), compileNode(node.no, around)];
  return frame => {
    const chosen = condition(frame);
    if (chosen === true) return yes(frame);
    if (chosen === false) return no(frame);
    return chosen instanceof CelFailure ? chosen : notBoolean(node.condition, around, chosen);
  };
}

const notBoolean = (node: CelNode, around: Surroundings, value: CelValue) =>
  mismatch(node, around, `is ${nameKindOf(value)}, not true or false`);

/** `||` is decided by one true side and `&&` by one false side, whatever became of the other. */
function compileLogic(node: NodeOf<'or' | 'and'>, decisive: boolean, around: Surroundings): Code {
  const [left, right] = [compileNode(node.left, around), compileNode(node.right, around)];
  return frame => {
    const first = left(frame);
    if (first === decisive) return decisive;
    const second = right(frame);
    if (second === decisive) return decisive;
    if (first instanceof CelFailure) return first;
    if (typeof first !== 'boolean') return notBoolean(node.left, around, first);
    if (second instanceof CelFailure || typeof second === 'boolean') return second;
    return notBoolean(node.right, around, second);
  };
}

function compileNot(node: CelNode, around: Surroundings): Code {
  const operand = compileNode(node, around);
  return frame => {
    const value = operand(frame);
    if (value instanceof CelFailure) return value;
    return typeof value === 'boolean' ? !value : notBoolean(node, around, value);
  };
}

/** Whether a field is there: false too where what should hold it is not. */
function compileHas(field: CelNode, around: Surroundings): Code {
  const value = compileNode(field, around);
  return frame => !(value(frame) instanceof CelFailure);
}

const doesNotGoWith = (values: readonly CelValue[]) =>
  `does not go with ${values.map(nameKindOf).join(' and ')}`;

const isComparison = (operator: Operator): boolean => /^[=!<>]/.test(operator);

/** An integer of the expression's own, as payloads hold it: compared with the same result, and several times as fast. */
const asDouble = (node: CelNode): CelNode =>
  node.op === 'literal' && typeof node.value === 'bigint' && Number.isSafeInteger(Number(node.value))
    ? { ...node, value: Number(node.value) }
    : node;

function compileOperation(node: NodeOf<'operation'>, around: Surroundings): Code {
  const compileSide = (side: CelNode) =>
    compileNode(isComparison(node.operator) ? asDouble(side) : side, around);
  const [left, right] = [compileSide(node.left), compileSide(node.right)];
  const overloads: readonly Overload[] = operators[node.operator];
  const ofAnything = overloads.find(({ params }) => params.every(param => param === 'any'));
  return frame => {
    const a = left(frame);
    if (a instanceof CelFailure) return a;
    const b = right(frame);
    if (b instanceof CelFailure) return b;
    const chosen = ofAnything ?? chooseForTwo(overloads, a, b);
    if (chosen === undefined) return mismatch(node, around, doesNotGoWith([a, b]));
    const result = chosen.run(frame.budget, a, b);
    return result instanceof CelFailure ? mismatch(node, around, result.note) : result;
  };
}

function compileCall(node: NodeOf<'call'>, around: Surroundings): Code {
  const args = node.receiver === null ? node.args : [node.receiver, ...node.args];
  const overloads = overloadsOf(node, args.length);
  return compileUse(node, `${node.name}()`, overloads, args, around);
}

function compileUse(
  node: CelNode,
  name: string,
  overloads: readonly Overload[],
  args: readonly CelNode[],
  around: Surroundings,
): Code {
  const use = (values: readonly CelValue[], budget: Budget): Evaluated => {
    const chosen = chooseByValues(overloads, values);
    if (chosen === undefined) return mismatch(node, around, `${name} ${doesNotGoWith(values)}`);
    // Spreading them would cost more than most functions do; the rest is ignored.
    const result = chosen.run(
      budget,
      values[0] ?? null,
      values[1] ?? null,
      values[2] ?? null,
      values[3] ?? null,
    );
    return result instanceof CelFailure
      ? new CelFailure(result.kind, `${wordsOf(node, around)}: ${result.note}`)
      : result;
  };
  const constants = literalsOf(args);
  // A time, a duration or a number that is written as text is read once.
  if (constants !== null && chooseByValues(overloads, constants)?.refuses) {
    const constant = use(constants, new Budget());
    return () => constant;
  }
  const codes = args.map(arg => compileNode(arg, around));
  return frame => {
    const values = evaluateAll(codes, frame);
    return values instanceof CelFailure ? values : use(values, frame.budget);
  };
}

function compileRe2(node: NodeOf<'re2'>, around: Surroundings): Code {
  const regex = readWithin(node.patternAt, () => compilePattern(node.pattern));
  const subject = compileNode(node.subject, around);
  return frame => {
    const value = subject(frame);
    if (value instanceof CelFailure) return value;
    if (typeof value !== 'string')
      return mismatch(node, around, `re2() looks at text, not at ${nameKindOf(value)}`);
    return regex.test(value, frame.budget);
  };
}
