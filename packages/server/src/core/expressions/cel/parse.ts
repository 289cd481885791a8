import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  ParseError,
  type TypeCheckResult,
} from '@marcbachmann/cel-js';
import { ExpressionError } from '../expression-error.ts';

/**
 * Reads and checks CEL. The library parses and infers types; what it evaluates is our own (see `compile.ts`),
 * since its evaluator has no budget, runs native regular expressions and knows a payload's integers as doubles.
 */
export type CelNode = ASTNode;

interface ParsedExpression {
  readonly ast: CelNode;
  /** As far as it can be told before anything is known about the payload; `dyn` where it cannot. */
  readonly type: string;
}

const LONGEST_EXPRESSION = 4_096;
const LIMITS = { maxAstNodes: 2_000, maxDepth: 64, maxListElements: 500, maxMapEntries: 100 };

const environment = describeVariables(
  new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS }),
);

/** These are declared so that they can be checked; none of the handlers is ever called. */
function describeVariables(env: Environment): Environment {
  const unused = () => null;
  env
    .registerVariable({
      name: 'event',
      schema: {
        id: 'string',
        type: 'string',
        icon: 'string',
        sender_id: 'string',
        received_at: 'google.protobuf.Timestamp',
        timestamp: 'google.protobuf.Timestamp',
      },
    })
    .registerVariable('payload', 'map<string, dyn>')
    .registerVariable('labels', 'map<string, dyn>')
    .registerVariable({
      name: 'entity',
      schema: { kind: 'string', external_id: 'string', traits: 'map<string, dyn>' },
    })
    .registerVariable({ name: 'source', schema: { name: 'string' } })
    .registerFunction('re2(string, string): bool', unused)
    .registerOperator('int == double', unused)
    .registerOperator('double % double: dyn', unused);
  for (const operator of ['+', '-', '*', '/', '%']) {
    env.registerOperator(`int ${operator} double: dyn`, unused);
    env.registerOperator(`double ${operator} int: dyn`, unused);
  }
  return env;
}

export function parseExpression(text: string): ParsedExpression {
  if (text.length > LONGEST_EXPRESSION)
    throw new ExpressionError(
      `An expression may have at most ${LONGEST_EXPRESSION} characters`,
      LONGEST_EXPRESSION,
    );
  try {
    const parsed = environment.parse(text);
    return { ast: parsed.ast, type: typeOf(parsed.check()) };
  } catch (error) {
    if (error instanceof ParseError || error instanceof CelTypeError) throw explain(text, error);
    throw error;
  }
}

function typeOf(checked: TypeCheckResult): string {
  if (checked.valid) return checked.type ?? 'dyn';
  throw checked.error;
}

function explain(text: string, error: ParseError | CelTypeError): ExpressionError {
  const position = error.range?.start ?? 0;
  const word = /^[A-Za-z_]\w*/.exec(text.slice(position))?.[0];
  if (error.code === 'expected_token' && word !== undefined && text[position - 1] === '.')
    return new ExpressionError(`"${word}" is a word of CEL itself: write ["${word}"] instead`, position);
  if (error.code === 'no_such_overload' && word === 'type')
    return new ExpressionError('"type" is a word of CEL itself: write event.type', position);
  if (error.code === 'unknown_variable')
    return new ExpressionError(
      `${error.summary}; there are event, payload, labels, entity and source`,
      position,
    );
  if (error.code === 'no_such_key')
    return new ExpressionError(`There is no field "${word ?? ''}" here`, position);
  const at = text.slice(position, error.range?.end ?? position);
  return new ExpressionError(inPlainWords(error.code, error.summary, at), position);
}

/** The parser speaks of its own tokens, and of its settings by their names. */
function inPlainWords(code: string | undefined, summary: string, at: string): string {
  const [, expected = '', got = ''] = /^Expected (\w+), got (\w+)$/.exec(summary) ?? [];
  if (got === 'EOF' || summary === 'Unexpected token: EOF') return 'The expression ends too early';
  if (code === 'expected_token') return `A ${missing[expected] ?? expected} is missing here`;
  if (code === 'unexpected_token') return `"${at}" cannot stand here`;
  if (code === 'reserved_identifier') return `"${at}" is a word of CEL itself, and no name`;
  if (code === 'limit_exceeded') {
    const [, limit = ''] = /^Exceeded (\w+)/.exec(summary) ?? [];
    return limitWords[limit] ?? 'The expression is too large';
  }
  const overload = /^no such overload: (.+ .+)$/.exec(summary)?.[1];
  return overload === undefined ? summary : `${overload}: these do not go together`;
}

const missing: Readonly<Record<string, string>> = {
  IDENTIFIER: 'name',
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  COMMA: '","',
};

const limitWords: Readonly<Record<string, string>> = {
  maxAstNodes: `The expression may have at most ${LIMITS.maxAstNodes} parts`,
  maxDepth: `The expression may be nested ${LIMITS.maxDepth} levels deep`,
  maxListElements: `A list may hold at most ${LIMITS.maxListElements} values`,
  maxMapEntries: `A map may hold at most ${LIMITS.maxMapEntries} entries`,
};
