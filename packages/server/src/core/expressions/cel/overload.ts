import type { Budget } from './budget.ts';
import type { CelType } from './types.ts';
import {
  type CelFailure,
  type CelValue,
  type Evaluated,
  kindOf,
  type ValueKind,
  type ValueOfKind,
} from './value.ts';

/**
 * One way to call a function or an operator: the kinds it takes, the type it gives, and what it does. The checker
 * and the evaluator both choose by the same kinds, so that neither knows of anything that the other does not.
 */
export interface Overload {
  readonly params: readonly Param[];
  readonly result: ResultType;
  readonly run: (budget: Budget, ...args: readonly CelValue[]) => Evaluated;
  /** What is wrong with the last argument where it is a literal: said when it is saved, not for every event. */
  readonly refuses: LiteralCheck | null;
}

/** `any` where the kind does not matter. */
type Param = ValueKind | 'any';
type ResultType = CelType | ((args: readonly CelType[]) => CelType);
type LiteralCheck = (text: string) => CelFailure | null;

type ArgumentOf<P extends Param> = P extends ValueKind ? ValueOfKind[P] : CelValue;
type Arguments<P extends readonly Param[]> = { [I in keyof P]: ArgumentOf<P[I]> };

export function overload<const P extends readonly Param[]>(
  params: P,
  result: ResultType,
  run: (budget: Budget, ...args: Arguments<P>) => Evaluated,
  refuses: LiteralCheck | null = null,
): Overload {
  // Whoever runs it has chosen it by the kinds of its arguments.
  return { params, result, run: run as unknown as Overload['run'], refuses };
}

export function chooseByValues(
  overloads: readonly Overload[],
  values: readonly CelValue[],
): Overload | undefined {
  for (let o = 0; o < overloads.length; o++) {
    const candidate = overloads[o] as Overload;
    let fits = true;
    for (let i = 0; fits && i < values.length; i++) {
      const param = candidate.params[i];
      fits = param === 'any' || param === kindOf(values[i] as CelValue);
    }
    if (fits) return candidate;
  }
  return undefined;
}

/** The same for operators, which conditions are full of. */
export function chooseForTwo(
  overloads: readonly Overload[],
  left: CelValue,
  right: CelValue,
): Overload | undefined {
  const a = kindOf(left);
  const b = kindOf(right);
  for (let i = 0; i < overloads.length; i++) {
    const candidate = overloads[i] as Overload;
    const first = candidate.params[0];
    const second = candidate.params[1];
    if ((first === a || first === 'any') && (second === b || second === 'any')) return candidate;
  }
  return undefined;
}

/** Those that may turn out to be meant, by what is known before there is an event. */
export const chooseByTypes = (
  overloads: readonly Overload[],
  types: readonly CelType[],
): readonly Overload[] =>
  overloads.filter(({ params }) =>
    types.every(({ kind }, i) => kind === 'dyn' || params[i] === 'any' || params[i] === kind),
  );
