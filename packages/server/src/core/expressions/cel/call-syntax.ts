import { ExpressionError } from '../expression-error.ts';
import { type CelNode, type CelSyntax, type LoopMacro, loopMacros } from './syntax.ts';

/** Tells calls from macros, which look like calls but take names and expressions in place of values. */
interface ReadCall {
  readonly start: number;
  readonly name: string;
  readonly receiver: CelNode | null;
  readonly args: readonly CelNode[];
}

export function readCall(call: ReadCall): CelSyntax {
  const { start, name, receiver, args } = call;
  if (name === 'matches')
    throw new ExpressionError(
      'matches() is not supported, since it can run forever; use re2(text, pattern)',
      start,
    );
  if (receiver === null) {
    if (name === 'has') return readHas(call);
    if (name === 're2') return readRe2(call);
  } else {
    if (name === 'bind' && receiver.op === 'name' && receiver.name === 'cel') return readBind(call);
    const macro = loopMacros.find(known => known === name);
    if (macro !== undefined) return readLoop(macro, receiver, call);
  }
  return { op: 'call', name, receiver, args };
}

function readHas({ start, args: [field, ...rest] }: ReadCall): CelSyntax {
  if (field === undefined || rest.length > 0 || (field.op !== 'field' && field.op !== 'index'))
    throw new ExpressionError('has() takes a field, such as payload.id', field?.start ?? start);
  return { op: 'has', field };
}

/** The pattern is a literal, so that a bad one is refused when it is saved and a good one is compiled once. */
function readRe2({ start, args: [subject, pattern, ...rest] }: ReadCall): CelSyntax {
  if (
    subject === undefined ||
    pattern?.op !== 'literal' ||
    typeof pattern.value !== 'string' ||
    rest.length > 0
  )
    throw new ExpressionError(
      're2(text, pattern) takes its pattern as a literal text',
      pattern?.start ?? start,
    );
  return { op: 're2', subject, pattern: pattern.value, patternAt: pattern.start };
}

function readBind({ start, args: [name, value, body, ...rest] }: ReadCall): CelSyntax {
  if (name === undefined || value === undefined || body === undefined || rest.length > 0)
    throw new ExpressionError('cel.bind(name, value, expression) takes three arguments', start);
  return { op: 'bind', variable: readVariable(name), value, body };
}

function readLoop(macro: LoopMacro, range: CelNode, { start, args }: ReadCall): CelSyntax {
  const [name, first, second, ...rest] = args;
  const takesFilter = macro === 'map';
  if (name === undefined || first === undefined || rest.length > 0 || (second !== undefined && !takesFilter))
    throw new ExpressionError(`${macro}(item, …) takes a name and an expression`, start);
  const [filter, body] = second === undefined ? [null, first] : [first, second];
  return { op: 'loop', macro, range, variable: readVariable(name), filter, body };
}

function readVariable(node: CelNode): string {
  if (node.op !== 'name' || node.isRoot)
    throw new ExpressionError('A variable is a plain name, such as item', node.start);
  return node.name;
}
