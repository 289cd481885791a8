import type { Scope } from '../../event/scope.ts';
import type { Budget } from './budget.ts';
import type { CelValue, Evaluated } from './value.ts';

/** An expression, or a part of one, as a function of what it is evaluated in. */
export type Code = (frame: Frame) => Evaluated;

export interface Frame {
  readonly scope: Scope;
  readonly budget: Budget;
  /** The variables of macros, each in its own slot. */
  readonly locals: CelValue[];
}

/** What is known while compiling: the variables in sight, and how deep in macros we are. */
export interface Surroundings {
  readonly text: string;
  readonly variables: ReadonlyMap<string, number>;
  readonly macroDepth: number;
  /** Gathered on the way: the variables that need a slot, and whether the event's entity has to be read. */
  readonly needs: { slots: number; traits: boolean };
}

export const outermost = (text: string): Surroundings => ({
  text,
  variables: new Map(),
  macroDepth: 0,
  needs: { slots: 0, traits: false },
});
