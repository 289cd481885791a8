/**
 * JSON text on several lines, as it is otherwise: no number, key or string is read and written again, and what was cut
 * in the middle is laid out up to there. What does not begin as an object or a list is left alone.
 */
export function prettyJson(text: string): string {
  if (!/^\s*[{[]/.test(text) || text.length > MOST_LAID_OUT) return text;
  let depth = 0;
  let laidOut = '';
  const newLine = () => `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (isEmpty.test(token)) laidOut += token.replace(/\s+/, '');
    else if (token === '{' || token === '[') {
      depth++;
      laidOut += token + newLine();
    } else if (token === '}' || token === ']') {
      // More ends than beginnings: it is no JSON after all.
      if (depth-- === 0) return text;
      laidOut += newLine() + token;
    } else if (token === ',') laidOut += token + newLine();
    else if (token === ':') laidOut += ': ';
    else if (token.startsWith('"') || isLiteral.test(token) || index + token.length === text.length)
      laidOut += token;
    else return text;
  }
  return laidOut;
}

/** A string, a mark, or all up to the next of them; a string may lack its end. */
const tokens = /"(?:\\.|[^"\\])*"?|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g;

const isLiteral = /^(?:true|false|null|-?\d[\d.eE+-]*)$/;
const isEmpty = /^[{[]\s*[}\]]$/;

/** Nobody reads on, and a browser should not have to lay it out. */
const MOST_LAID_OUT = 200_000;
const DEEPEST = 40;
