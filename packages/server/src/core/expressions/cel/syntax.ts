import type { operators } from './operators.ts';

/** The syntax tree of an expression. Macros are nodes of their own: they look like calls, and are none. */
export type CelNode = Span & CelSyntax;

/** Where it stands in the text, in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export type CelSyntax =
  | { readonly op: 'literal'; readonly value: Literal }
  | {
      readonly op: 'name';
      readonly name: string;
      /** `.name` passes by the variables of macros. */
      readonly isRoot: boolean;
    }
  | FieldSyntax
  | { readonly op: 'index'; readonly owner: CelNode; readonly key: CelNode }
  | { readonly op: 'list'; readonly items: readonly CelNode[] }
  | { readonly op: 'map'; readonly entries: readonly (readonly [CelNode, CelNode])[] }
  | { readonly op: 'choice'; readonly condition: CelNode; readonly yes: CelNode; readonly no: CelNode }
  | { readonly op: 'and' | 'or'; readonly left: CelNode; readonly right: CelNode }
  | { readonly op: 'not' | 'negate'; readonly operand: CelNode }
  | { readonly op: 'operation'; readonly operator: Operator; readonly left: CelNode; readonly right: CelNode }
  | {
      readonly op: 'call';
      readonly name: string;
      readonly receiver: CelNode | null;
      readonly args: readonly CelNode[];
    }
  | { readonly op: 're2'; readonly subject: CelNode; readonly pattern: string; readonly patternAt: number }
  | { readonly op: 'has'; readonly field: CelNode }
  | { readonly op: 'bind'; readonly variable: string; readonly value: CelNode; readonly body: CelNode }
  | LoopSyntax;

export type Literal = null | boolean | number | bigint | string;
export type Operator = Exclude<keyof typeof operators, '[]'>;

interface FieldSyntax {
  readonly op: 'field';
  readonly owner: CelNode;
  readonly name: string;
  readonly nameAt: number;
}

interface LoopSyntax {
  readonly op: 'loop';
  readonly macro: LoopMacro;
  readonly range: CelNode;
  readonly variable: string;
  /** Only of `map(item, filter, value)`. */
  readonly filter: CelNode | null;
  readonly body: CelNode;
}

export const loopMacros = ['all', 'exists', 'exists_one', 'map', 'filter'] as const;
export type LoopMacro = (typeof loopMacros)[number];
