import type { Path } from '../../core/expressions/path.ts';

/** What stands in place of a value that is struck out. */
const STRUCK = '"…"';

/**
 * Strikes these fields out of a JSON text that has been read before. All else stays as its sender wrote it: numbers,
 * order and blanks. A list on the way to a field stands for each of its items.
 */
export function strikeFields(text: string, fields: readonly Path[]): string {
  /** The names on the way to here; null for a list. */
  const way: (string | null)[] = [];
  let isName = false;
  let struck = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
        way.push('');
        isName = true;
        break;
      case '[':
        way.push(null);
        isName = false;
        break;
      case '}':
      case ']':
        way.pop();
        isName = false;
        break;
      case ',':
        isName = way.at(-1) !== null;
        break;
      case '"': {
        const end = endOfString(text, at);
        // A name may be written with escapes.
        if (isName) way[way.length - 1] = JSON.parse(text.slice(at, end)) as string;
        isName = false;
        at = end - 1;
        break;
      }
      case ':': {
        if (!fields.some(field => leadsTo(way, field))) break;
        const from = startOfValue(text, at + 1);
        struck += text.slice(copied, from) + STRUCK;
        copied = endOfValue(text, from);
        at = copied - 1;
        break;
      }
    }
  }
  return struck + text.slice(copied);
}

function leadsTo(way: readonly (string | null)[], field: Path): boolean {
  // Most names are told apart by the last.
  if (way.at(-1) !== field.at(-1)) return false;
  const names = way.filter(name => name !== null);
  return names.length === field.length && names.every((name, i) => name === field[i]);
}

function startOfValue(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text.charAt(at))) at++;
  return at;
}

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && /[,\s]/.test(sign)) return at;
  }
  return text.length;
}

/** Behind the quotation mark that ends the string which begins here. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
