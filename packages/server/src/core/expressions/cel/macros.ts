import { ExpressionError } from '../expression-error.ts';
import type { Code, Frame, Surroundings } from './code.ts';
import type { CelNode } from './parse.ts';
import { CelFailure, type CelList, type CelValue, isList, isMap, nameType } from './value.ts';

/** What repeats: `exists`, `all`, `map` and their kin, each turn of which is counted on the budget. */
interface MacroCall {
  readonly node: CelNode;
  readonly name: string;
  readonly receiver: CelNode | null;
  readonly args: readonly CelNode[];
}

type Compile = (node: CelNode, around: Surroundings) => Code;

const DEEPEST_NESTING = 3;

const repeating = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

export function isMacro(name: string, receiver: CelNode | null): boolean {
  if (receiver === null) return name === 'has';
  if (name === 'bind') return receiver.op === 'id' && receiver.args === 'cel';
  return repeating.has(name);
}

export function compileMacro(call: MacroCall, around: Surroundings, compile: Compile): Code {
  if (call.receiver === null) return compileHas(call, around, compile);
  if (call.name === 'bind') return compileBind(call, around, compile);
  return compileRepetition(call, call.receiver, around, compile);
}

/** Whether a field is there: false too where what should hold it is not. */
function compileHas({ node, args: [field] }: MacroCall, around: Surroundings, compile: Compile): Code {
  if (field === undefined) throw new ExpressionError('has() takes a field, such as payload.id', node.start);
  const value = compile(field, around);
  return frame => !(value(frame) instanceof CelFailure);
}

function compileBind({ node, args }: MacroCall, around: Surroundings, compile: Compile): Code {
  const [variable, value, body] = args;
  if (value === undefined || body === undefined)
    throw new ExpressionError('cel.bind(name, value, expression) takes three arguments', node.start);
  const bound = compile(value, around);
  const { slot, inner } = declare(variable, around);
  const code = compile(body, inner);
  return frame => {
    const found = bound(frame);
    if (found instanceof CelFailure) return found;
    frame.locals[slot] = found;
    return code(frame);
  };
}

function declare(variable: CelNode | undefined, around: Surroundings): { slot: number; inner: Surroundings } {
  if (variable?.op !== 'id')
    throw new ExpressionError('A variable is a plain name, such as item', variable?.start ?? 0);
  const slot = around.needs.slots++;
  return { slot, inner: { ...around, variables: new Map(around.variables).set(variable.args, slot) } };
}

interface Loop {
  readonly slot: number;
  readonly cost: number;
  readonly body: Code;
  /** Only of `map(item, filter, value)`. */
  readonly filter: Code | null;
  readonly complain: (value: CelValue) => CelFailure;
}

function compileRepetition(call: MacroCall, receiver: CelNode, around: Surroundings, compile: Compile): Code {
  if (around.macroDepth === DEEPEST_NESTING)
    throw new ExpressionError(
      `${call.name}() may be nested ${DEEPEST_NESTING} levels deep at most`,
      call.node.start,
    );
  const [variable, first, second] = call.args;
  const body = second ?? first;
  if (body === undefined || first === undefined)
    throw new ExpressionError(`${call.name}(item, …) takes a name and an expression`, call.node.start);
  const range = compile(receiver, around);
  const { slot, inner } = declare(variable, around);
  const deeper = { ...inner, macroDepth: around.macroDepth + 1 };
  const loop: Loop = {
    slot,
    // About as many steps as the body has operations.
    cost: 2 + Math.ceil((body.end - first.start) / 8),
    body: compile(body, deeper),
    filter: second === undefined ? null : compile(first, deeper),
    complain: value =>
      new CelFailure('mismatch', `${call.name}() needs true or false, not ${nameType(value)}`),
  };
  const run = runs[call.name as keyof typeof runs];
  return frame => {
    const items = range(frame);
    if (items instanceof CelFailure) return items;
    if (isList(items)) return run(loop, items, frame);
    if (!isMap(items))
      return new CelFailure('mismatch', `${call.name}() does not go with ${nameType(items)}`);
    const keys = Object.keys(items);
    frame.budget.spend(keys.length);
    return run(loop, keys, frame);
  };
}

const runs = {
  exists: (loop: Loop, items: CelList, frame: Frame) => decide(loop, items, frame, true),
  all: (loop: Loop, items: CelList, frame: Frame) => decide(loop, items, frame, false),
  exists_one: (loop: Loop, items: CelList, frame: Frame) => {
    const found = select(loop, items, frame, loop.body, item => item);
    return found instanceof CelFailure ? found : found.length === 1;
  },
  filter: (loop: Loop, items: CelList, frame: Frame) => select(loop, items, frame, loop.body, item => item),
  map: (loop: Loop, items: CelList, frame: Frame) =>
    select(loop, items, frame, loop.filter, () => loop.body(frame)),
};

/** One item that is `decisive` decides, whatever became of the others; else the first error counts. */
function decide(loop: Loop, items: CelList, frame: Frame, decisive: boolean): boolean | CelFailure {
  let failure: CelFailure | null = null;
  for (const item of items) {
    frame.budget.spend(loop.cost);
    frame.locals[loop.slot] = item;
    const value = loop.body(frame);
    if (value === decisive) return decisive;
    if (value !== !decisive) failure ??= value instanceof CelFailure ? value : loop.complain(value);
  }
  return failure ?? !decisive;
}

/** What `make` makes of each item that passes. */
function select(
  loop: Loop,
  items: CelList,
  frame: Frame,
  passes: Code | null,
  make: (item: CelValue) => CelValue | CelFailure,
): CelValue[] | CelFailure {
  const selected: CelValue[] = [];
  for (const item of items) {
    frame.budget.spend(loop.cost);
    frame.locals[loop.slot] = item;
    const passed = passes === null || passes(frame);
    if (passed instanceof CelFailure) return passed;
    if (typeof passed !== 'boolean') return loop.complain(passed);
    if (!passed) continue;
    const made = make(item);
    if (made instanceof CelFailure) return made;
    selected.push(made);
  }
  return selected;
}
