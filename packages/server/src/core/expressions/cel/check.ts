import { ExpressionError } from '../expression-error.ts';
import { overloadsOf } from './functions.ts';
import { negation, operators } from './operators.ts';
import { chooseByTypes, type Overload } from './overload.ts';
import { roots } from './roots.ts';
import type { CelNode } from './syntax.ts';
import {
  BOOL,
  type CelType,
  commonType,
  DYN,
  isBoolean,
  isDyn,
  listOf,
  mapOf,
  mayEqual,
  NULL,
  NUMBER,
  nameType,
  STRING,
} from './types.ts';

/**
 * The type checker: refuses what could have a value for no event at all, and a comparison that could have only one.
 * It knows functions and operators by the very overloads that the evaluator runs. What the evaluator can do passes;
 * names and the shape of calls are the compiler's to refuse.
 */
export function checkNode(node: CelNode, variables: Variables): CelType {
  const typeOf = (part: CelNode): CelType => checkNode(part, variables);
  switch (node.op) {
    case 'literal':
      return literalTypes[typeof node.value] ?? NULL;
    case 'name':
      return (node.isRoot ? undefined : variables.get(node.name)) ?? rootType(node.name);
    case 'field':
      return checkField(node, typeOf(node.owner));
    case 'index':
      return checkIndex(node, typeOf(node.owner), typeOf(node.key));
    case 'list':
      return listOf(commonType(node.items.map(typeOf)));
    case 'map':
      return mapOf(
        commonType(node.entries.map(([key, value]) => checkEntry(key, typeOf(key), typeOf(value)))),
      );
    case 'choice':
      requireBoolean(node.condition, typeOf(node.condition));
      return commonType([typeOf(node.yes), typeOf(node.no)]);
    case 'or':
    case 'and':
      for (const side of [node.left, node.right]) requireBoolean(side, typeOf(side));
      return BOOL;
    case 'not':
      requireBoolean(node.operand, typeOf(node.operand));
      return BOOL;
    case 'negate':
      return checkUse(node, '-', negation, [typeOf(node.operand)]);
    case 'operation':
      return checkOperation(node, typeOf(node.left), typeOf(node.right));
    case 'call':
      return checkCall(node, typeOf);
    case 're2':
      requireText(node.subject, typeOf(node.subject));
      return BOOL;
    case 'has':
      typeOf(node.field);
      return BOOL;
    case 'bind':
      return checkNode(node.body, new Map(variables).set(node.variable, typeOf(node.value)));
    case 'loop':
      return checkLoop(node, typeOf(node.range), variables);
  }
}

type Variables = ReadonlyMap<string, CelType>;
type NodeOf<Op extends CelNode['op']> = CelNode & { op: Op };

const literalTypes: Readonly<Record<string, CelType>> = {
  bigint: NUMBER,
  number: NUMBER,
  string: STRING,
  boolean: BOOL,
};

const rootType = (name: string): CelType =>
  Object.hasOwn(roots, name) ? roots[name as keyof typeof roots] : DYN;

function checkField({ name, nameAt }: NodeOf<'field'>, owner: CelType): CelType {
  if (isDyn(owner)) return DYN;
  if (owner.kind !== 'map') throw new ExpressionError(`${capital(nameType(owner))} has no fields`, nameAt);
  return fieldType(owner, name, nameAt);
}

function fieldType(owner: CelType & { kind: 'map' }, name: string, at: number): CelType {
  if (owner.fields === undefined) return owner.value;
  const known = Object.hasOwn(owner.fields, name) ? owner.fields[name] : undefined;
  if (known !== undefined) return known;
  throw new ExpressionError(
    `There is no field "${name}" here; there are ${Object.keys(owner.fields).join(', ')}`,
    at,
  );
}

function checkIndex({ key, start }: NodeOf<'index'>, owner: CelType, at: CelType): CelType {
  if (owner.kind === 'map' && key.op === 'literal' && typeof key.value === 'string')
    return fieldType(owner, key.value, key.start);
  const chosen = chooseByTypes(operators['[]'], [owner, at]);
  if (chosen.length === 0) {
    if (isDyn(owner))
      throw new ExpressionError(`An index is a number or text, and this is ${nameType(at)}`, key.start);
    throw new ExpressionError(`${capital(nameType(owner))} has no [${nameType(at)}]`, start);
  }
  return resultOf(chosen, [owner, at]);
}

function checkEntry(key: CelNode, keyType: CelType, valueType: CelType): CelType {
  if (!isDyn(keyType) && keyType.kind !== 'string')
    throw new ExpressionError(`A key must be text, and this is ${nameType(keyType)}`, key.start);
  return valueType;
}

function requireBoolean(node: CelNode, type: CelType): void {
  if (!isBoolean(type))
    throw new ExpressionError(`This must be true or false, and is ${nameType(type)}`, node.start);
}

function requireText(node: CelNode, type: CelType): void {
  if (!isDyn(type) && type.kind !== 'string')
    throw new ExpressionError(`re2() looks at text, and this is ${nameType(type)}`, node.start);
}

function checkOperation(node: NodeOf<'operation'>, left: CelType, right: CelType): CelType {
  const { operator } = node;
  const other = comparedWith(operator, right);
  if (other !== null && !mayEqual(left, other))
    throw new ExpressionError(`${capital(nameType(left))} never equals ${nameType(other)}`, node.start);
  return checkUse(node, operator, operators[operator], [left, right]);
}

/** What the left side has to equal, if that is what the operator asks. */
function comparedWith(operator: string, right: CelType): CelType | null {
  if (operator === '==' || operator === '!=') return right;
  if (operator !== 'in') return null;
  return right.kind === 'list' ? right.item : right.kind === 'map' ? STRING : null;
}

function checkCall(node: NodeOf<'call'>, typeOf: (part: CelNode) => CelType): CelType {
  const args = node.receiver === null ? node.args : [node.receiver, ...node.args];
  const types = args.map(typeOf);
  const overloads = chooseOrRefuse(node, `${node.name}()`, overloadsOf(node, args.length), types);
  const last = args.at(-1);
  if (last?.op === 'literal' && typeof last.value === 'string') refuseLiteral(overloads, last, last.value);
  return resultOf(overloads, types);
}

/** A text that reads as no time, no number or no zone will read so in no event either. */
function refuseLiteral(overloads: readonly Overload[], node: CelNode, text: string): void {
  for (const { refuses } of overloads) {
    const failure = refuses?.(text);
    if (failure) throw new ExpressionError(capital(failure.note), node.start);
  }
}

const checkUse = (node: CelNode, name: string, overloads: readonly Overload[], types: readonly CelType[]) =>
  resultOf(chooseOrRefuse(node, name, overloads, types), types);

function chooseOrRefuse(
  { start }: CelNode,
  name: string,
  overloads: readonly Overload[],
  types: readonly CelType[],
): readonly Overload[] {
  const chosen = chooseByTypes(overloads, types);
  if (chosen.length > 0) return chosen;
  throw new ExpressionError(`${name} does not go with ${types.map(nameType).join(' and ')}`, start);
}

const resultOf = (overloads: readonly Overload[], types: readonly CelType[]): CelType =>
  commonType(overloads.map(({ result }) => (typeof result === 'function' ? result(types) : result)));

function checkLoop(node: NodeOf<'loop'>, range: CelType, variables: Variables): CelType {
  if (!isDyn(range) && range.kind !== 'list' && range.kind !== 'map')
    throw new ExpressionError(`${node.macro}() does not go with ${nameType(range)}`, node.start);
  const item = range.kind === 'list' ? range.item : range.kind === 'map' ? STRING : DYN;
  const inner = new Map(variables).set(node.variable, item);
  if (node.filter !== null) requireBoolean(node.filter, checkNode(node.filter, inner));
  const body = checkNode(node.body, inner);
  if (node.macro === 'map') return listOf(body);
  requireBoolean(node.body, body);
  return node.macro === 'filter' ? listOf(item) : BOOL;
}

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
