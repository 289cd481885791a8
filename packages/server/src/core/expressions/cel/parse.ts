import { ExpressionError } from '../expression-error.ts';
import { readCall } from './call-syntax.ts';
import type { CelNode, CelSyntax, Operator } from './syntax.ts';
import { readEscapedName, readNumber, readToken, type Token } from './token.ts';

/** Reads CEL, as its specification's grammar has it, into a syntax tree of bounded size and depth. */
const LONGEST_EXPRESSION = 4_096;
const MOST_NODES = 2_000;
const DEEPEST_NESTING = 64;
const MOST_ITEMS = 500;
const MOST_ENTRIES = 100;
const MOST_ARGUMENTS = 10;

export function parseExpression(text: string): CelNode {
  if (text.length > LONGEST_EXPRESSION)
    throw new ExpressionError(
      `An expression may have at most ${LONGEST_EXPRESSION} characters`,
      LONGEST_EXPRESSION,
    );
  return new Parser(text).parse();
}

const keywords = new Set(['false', 'in', 'null', 'true']);
const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** From the loosest to the tightest; those of one level are read from the left. */
const levels: readonly (readonly Operator[])[] = [
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

class Parser {
  private token: Token;
  private nodes = 0;
  private depth = 0;

  constructor(private readonly text: string) {
    this.token = readToken(text, 0);
  }

  parse(): CelNode {
    const node = this.expression();
    if (this.token.kind !== 'end') throw this.unexpected();
    return node;
  }

  // --- tokens

  private take(): Token {
    const taken = this.token;
    this.token = readToken(this.text, taken.end);
    return taken;
  }

  private isAt(symbol: string): boolean {
    return this.token.kind !== 'literal' && this.token.kind !== 'end' && this.token.text === symbol;
  }

  private takeIf(symbol: string): boolean {
    if (!this.isAt(symbol)) return false;
    this.take();
    return true;
  }

  /** Where it ends. */
  private expect(symbol: string): number {
    if (!this.isAt(symbol)) throw this.missing(`"${symbol}"`);
    return this.take().end;
  }

  private missing(what: string): ExpressionError {
    return this.token.kind === 'end'
      ? this.endsTooEarly()
      : new ExpressionError(`A ${what} is missing here`, this.token.start);
  }

  private unexpected(): ExpressionError {
    if (this.token.kind === 'end') return this.endsTooEarly();
    const { start, end } = this.token;
    return new ExpressionError(`"${this.text.slice(start, end)}" is not allowed here`, start);
  }

  private endsTooEarly(): ExpressionError {
    return new ExpressionError('The expression ends too early', this.token.start);
  }

  // --- nodes

  private node<S extends CelSyntax>(
    start: number,
    end: number,
    syntax: S,
  ): S & { start: number; end: number } {
    if (++this.nodes > MOST_NODES)
      throw new ExpressionError(`The expression may have at most ${MOST_NODES} parts`, start);
    return { ...syntax, start, end };
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > DEEPEST_NESTING)
      throw new ExpressionError(
        `The expression may be nested ${DEEPEST_NESTING} levels deep`,
        this.token.start,
      );
    const result = read();
    this.depth--;
    return result;
  }

  private expression(): CelNode {
    return this.deeper(() => {
      const condition = this.or();
      if (!this.takeIf('?')) return condition;
      const yes = this.expression();
      this.expect(':');
      const no = this.expression();
      return this.node(condition.start, no.end, { op: 'choice', condition, yes, no });
    });
  }

  private or(): CelNode {
    let left = this.and();
    while (this.takeIf('||')) {
      const right = this.and();
      left = this.node(left.start, right.end, { op: 'or', left, right });
    }
    return left;
  }

  private and(): CelNode {
    let left = this.operation(0);
    while (this.takeIf('&&')) {
      const right = this.operation(0);
      left = this.node(left.start, right.end, { op: 'and', left, right });
    }
    return left;
  }

  private operation(level: number): CelNode {
    const operators = levels[level];
    if (operators === undefined) return this.unary();
    let left = this.operation(level + 1);
    for (;;) {
      const operator = operators.find(symbol => this.isAt(symbol));
      if (operator === undefined) return left;
      this.take();
      const right = this.operation(level + 1);
      left = this.node(left.start, right.end, { op: 'operation', operator, left, right });
    }
  }

  private unary(): CelNode {
    const { start } = this.token;
    const op = this.isAt('!') ? 'not' : this.isAt('-') ? 'negate' : null;
    if (op === null) return this.member();
    this.take();
    const operand = this.deeper(() => this.unary());
    return this.node(start, operand.end, { op, operand });
  }

  private member(): CelNode {
    const depth = this.depth;
    let node = this.primary();
    for (;;) {
      if (this.isAt('.')) node = this.deeper(() => this.fieldOrMethod(node));
      else if (this.isAt('[')) node = this.deeper(() => this.index(node));
      else break;
      // Each hangs below the next.
      this.depth++;
    }
    this.depth = depth;
    return node;
  }

  private fieldOrMethod(owner: CelNode): CelNode {
    const escaped = readEscapedName(this.text, this.token.end);
    if (escaped === null) this.take();
    this.refuseOptional();
    const name = escaped ?? this.token;
    if (name.kind !== 'name') throw this.missing('name');
    if (escaped === null && keywords.has(name.text))
      throw new ExpressionError(
        `"${name.text}" is a reserved word in CEL: write ["${name.text}"] instead`,
        name.start,
      );
    this.token = readToken(this.text, name.end);
    if (escaped === null && this.isAt('(')) return this.call(owner.start, name.text, owner);
    return this.node(owner.start, name.end, { op: 'field', owner, name: name.text, nameAt: name.start });
  }

  private index(owner: CelNode): CelNode {
    this.expect('[');
    this.refuseOptional();
    const key = this.expression();
    return this.node(owner.start, this.expect(']'), { op: 'index', owner, key });
  }

  private refuseOptional(): void {
    if (this.isAt('?'))
      throw new ExpressionError('Optional fields are not supported; use has()', this.token.start);
  }

  private primary(): CelNode {
    const { token } = this;
    if (token.kind === 'literal') return this.literal(token);
    if (token.kind === 'name') return this.name(token.start, false);
    if (this.takeIf('(')) {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (this.isAt('[')) return this.list();
    if (this.isAt('{')) return this.map();
    if (!this.isAt('.')) throw this.unexpected();
    if (/\d/.test(this.text[token.end] ?? '')) return this.literal(readNumber(this.text, token.start));
    this.take();
    return this.name(token.start, true);
  }

  private literal(token: Token): CelNode {
    this.token = readToken(this.text, token.end);
    const value = token.kind === 'literal' ? token.value : (constants[token.text] ?? null);
    return this.node(token.start, token.end, { op: 'literal', value });
  }

  private name(start: number, isRoot: boolean): CelNode {
    const { token } = this;
    if (token.kind !== 'name') throw this.missing('name');
    if (Object.hasOwn(constants, token.text)) return this.literal(token);
    if (keywords.has(token.text)) throw this.unexpected();
    this.take();
    if (this.isAt('(')) return this.call(start, token.text, null);
    if (reserved.has(token.text))
      throw new ExpressionError(`"${token.text}" is a reserved word in CEL, not a name`, token.start);
    return this.node(start, token.end, { op: 'name', name: token.text, isRoot });
  }

  private call(start: number, name: string, receiver: CelNode | null): CelNode {
    this.expect('(');
    const args = this.values(')', MOST_ARGUMENTS, `${name}() takes fewer arguments`, () => this.expression());
    const end = this.expect(')');
    return this.node(start, end, readCall({ start, name, receiver, args }));
  }

  private list(): CelNode {
    const { start } = this.take();
    const items = this.values(']', MOST_ITEMS, `A list may hold at most ${MOST_ITEMS} values`, () => {
      this.refuseOptional();
      return this.expression();
    });
    return this.node(start, this.expect(']'), { op: 'list', items });
  }

  private map(): CelNode {
    const { start } = this.take();
    const entries = this.values('}', MOST_ENTRIES, `A map may hold at most ${MOST_ENTRIES} entries`, () => {
      this.refuseOptional();
      const key = this.expression();
      this.expect(':');
      return [key, this.expression()] as const;
    });
    return this.node(start, this.expect('}'), { op: 'map', entries });
  }

  /** A comma after the last one is allowed. */
  private values<T>(close: string, most: number, tooMany: string, read: () => T): T[] {
    const values: T[] = [];
    while (!this.isAt(close)) {
      if (values.length === most) throw new ExpressionError(tooMany, this.token.start);
      values.push(read());
      if (!this.takeIf(',')) break;
    }
    return values;
  }
}
