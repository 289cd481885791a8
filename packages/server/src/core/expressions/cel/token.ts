import { ExpressionError } from '../expression-error.ts';

/** Cuts an expression into tokens. */
export type Token =
  | {
      readonly kind: 'name' | 'symbol' | 'end';
      readonly text: string;
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly kind: 'literal';
      readonly value: bigint | number | string;
      readonly start: number;
      readonly end: number;
    };

const BLANK = /(?:[\t\n\f\r ]|\/\/[^\n]*)*/y;
const NAME = /[A-Za-z_]\w*/y;
const ESCAPED_NAME = /`[\w.\-/ ]+`/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d*\.\d+|\d+)(?:[eE][+-]?\d+)?/y;
const UNSIGNED = /[uU]/y;
const SYMBOL = /&&|\|\||[=!<>]=|[<>!?:+\-*/%()[\]{}.,]/y;
const QUOTE = /([bB]?[rR]|[rR]?[bB])?("""|'''|"|')/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

export function readToken(text: string, from: number): Token {
  const start = from + (matchAt(BLANK, text, from)?.[0].length ?? 0);
  if (start >= text.length) return { kind: 'end', text: '', start, end: start };
  const quote = matchAt(QUOTE, text, start);
  if (quote !== null) return readText(text, start, quote[1] ?? '', quote[2] ?? '');
  const name = matchAt(NAME, text, start)?.[0];
  if (name !== undefined) return { kind: 'name', text: name, start, end: start + name.length };
  if (/\d/.test(text[start] ?? '')) return readNumber(text, start);
  const symbol = matchAt(SYMBOL, text, start)?.[0];
  if (symbol !== undefined) return { kind: 'symbol', text: symbol, start, end: start + symbol.length };
  throw new ExpressionError(
    `Unexpected character: ${String.fromCodePoint(text.codePointAt(start) ?? 0)}`,
    start,
  );
}

/** Also called where an expression may begin with `.5`, which would be a field elsewhere. */
export function readNumber(text: string, start: number): Token {
  const digits = matchAt(NUMBER, text, start)?.[0] ?? '';
  const end = start + digits.length;
  if (matchAt(UNSIGNED, text, end) !== null)
    throw new ExpressionError('Unsigned integers are not supported: leave out the u', end);
  if (matchAt(NAME, text, end) !== null) throw new ExpressionError('A number ends in a letter', end);
  if (/^0x|^\d+$/i.test(digits)) return { kind: 'literal', value: BigInt(digits), start, end };
  const value = Number(digits);
  if (!Number.isFinite(value)) throw new ExpressionError('A number is too large for a double', start);
  return { kind: 'literal', value, start, end };
}

/** After a dot, a field that is no plain name may stand between backticks. */
export function readEscapedName(text: string, at: number): Token | null {
  const name = matchAt(ESCAPED_NAME, text, at)?.[0];
  return name === undefined
    ? null
    : { kind: 'name', text: name.slice(1, -1), start: at, end: at + name.length };
}

function readText(text: string, start: number, prefix: string, quote: string): Token {
  if (/b/i.test(prefix)) throw new ExpressionError('Bytes are not supported', start);
  const isRaw = prefix !== '';
  const from = start + prefix.length + quote.length;
  let value = '';
  let at = from;
  while (!text.startsWith(quote, at)) {
    const character = text[at];
    if (character === undefined) throw new ExpressionError('Unterminated text', start);
    if (quote.length === 1 && (character === '\n' || character === '\r'))
      throw new ExpressionError(
        `Unterminated text: a new line needs three quotes, ${quote.repeat(3)}`,
        start,
      );
    if (character === '\\' && !isRaw) {
      const read = readEscape(text, at);
      value += read.value;
      at = read.end;
    } else {
      value += character;
      at++;
    }
  }
  if (value.includes('\0') || !value.isWellFormed())
    throw new ExpressionError('Text may hold neither NUL characters nor lone surrogates', start);
  return { kind: 'literal', value, start, end: at + quote.length };
}

const plainEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  ...Object.fromEntries(['\\', '?', '"', "'", '`'].map(character => [character, character])),
};
const CODE_POINT = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(text: string, at: number): { value: string; end: number } {
  const plain = plainEscapes[text[at + 1] ?? ''];
  if (plain !== undefined) return { value: plain, end: at + 2 };
  const [sequence = '', hex, short, long, octal] = matchAt(CODE_POINT, text, at) ?? [];
  const point =
    octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  if (!(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff))
    throw new ExpressionError('This is not an escape sequence; write \\\\ for a backslash', at);
  return { value: String.fromCodePoint(point), end: at + sequence.length };
}
