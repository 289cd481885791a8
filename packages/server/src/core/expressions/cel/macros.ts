import { ExpressionError } from '../expression-error.ts';
import type { Code, Frame, Surroundings } from './code.ts';
import type { CelNode, LoopMacro } from './syntax.ts';
import { CelFailure, type CelList, type CelValue, isList, isMap, nameKindOf } from './value.ts';

/** What repeats: `exists`, `all`, `map` and their kin, each turn of which is counted on the budget; and `cel.bind`. */
type Compile = (node: CelNode, around: Surroundings) => Code;

const DEEPEST_NESTING = 3;

export function compileBind(node: CelNode & { op: 'bind' }, around: Surroundings, compile: Compile): Code {
  const bound = compile(node.value, around);
  const { slot, inner } = declare(node.variable, around);
  const code = compile(node.body, inner);
  return frame => {
    const found = bound(frame);
    if (found instanceof CelFailure) return found;
    frame.locals[slot] = found;
    return code(frame);
  };
}

function declare(variable: string, around: Surroundings): { slot: number; inner: Surroundings } {
  const slot = around.needs.slots++;
  return { slot, inner: { ...around, variables: new Map(around.variables).set(variable, slot) } };
}

interface Loop {
  readonly slot: number;
  readonly cost: number;
  readonly body: Code;
  readonly filter: Code | null;
  readonly complain: (value: CelValue) => CelFailure;
}

export function compileLoop(node: CelNode & { op: 'loop' }, around: Surroundings, compile: Compile): Code {
  const { macro, filter, body } = node;
  if (around.macroDepth === DEEPEST_NESTING)
    throw new ExpressionError(`${macro}() may be nested ${DEEPEST_NESTING} levels deep at most`, node.start);
  const range = compile(node.range, around);
  const { slot, inner } = declare(node.variable, around);
  const deeper = { ...inner, macroDepth: around.macroDepth + 1 };
  const loop: Loop = {
    slot,
    // About as many steps as the body has operations.
    cost: 2 + Math.ceil((body.end - (filter ?? body).start) / 8),
    body: compile(body, deeper),
    filter: filter === null ? null : compile(filter, deeper),
    complain: value => new CelFailure('mismatch', `${macro}() needs true or false, not ${nameKindOf(value)}`),
  };
  const run = runs[macro];
  return frame => {
    const items = range(frame);
    if (items instanceof CelFailure) return items;
    if (isList(items)) return run(loop, items, frame);
    if (!isMap(items)) return new CelFailure('mismatch', `${macro}() does not go with ${nameKindOf(items)}`);
    const keys = Object.keys(items);
    frame.budget.spend(keys.length);
    return run(loop, keys, frame);
  };
}

const runs: Record<LoopMacro, (loop: Loop, items: CelList, frame: Frame) => CelValue | CelFailure> = {
  exists: (loop, items, frame) => decide(loop, items, frame, true),
  all: (loop, items, frame) => decide(loop, items, frame, false),
  exists_one: (loop, items, frame) => {
    const found = select(loop, items, frame, loop.body, item => item);
    return found instanceof CelFailure ? found : found.length === 1;
  },
  filter: (loop, items, frame) => select(loop, items, frame, loop.body, item => item),
  map: (loop, items, frame) => select(loop, items, frame, loop.filter, () => loop.body(frame)),
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
  frame.budget.collect(selected.length);
  return selected;
}
