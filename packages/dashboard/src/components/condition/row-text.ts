/** A value in a row, as people write it: `42` and `true` are what they say, everything else is a text. */
export type Literal =
  | { readonly kind: 'text'; readonly text: string }
  /** A number, `true` or `false`, as written: integers of any size stay exact. */
  | { readonly kind: 'word'; readonly text: string };

const WORD = /^(?:true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** What stands in the input. A text that would read as something else stands in quotes. */
export const showLiteral = ({ kind, text }: Literal): string =>
  kind === 'text' && (WORD.test(text) || text.startsWith('"')) ? JSON.stringify(text) : text;

export function readLiteral(shown: string): Literal {
  if (WORD.test(shown)) return { kind: 'word', text: shown };
  return { kind: 'text', text: (shown.startsWith('"') ? unquote(shown) : null) ?? shown };
}

/** As CEL writes it; its escapes are those of JSON, and some more. */
export const writeLiteral = ({ kind, text }: Literal): string =>
  kind === 'text' ? JSON.stringify(text) : text;

/** The text between the quotes; null where it holds escapes that only CEL knows. */
export function unquote(quoted: string): string | null {
  if (quoted.startsWith("'")) return quoted.includes('\\') ? null : quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
}
