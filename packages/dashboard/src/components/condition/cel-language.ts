import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

/** Enough of CEL's grammar to colour it; whether it is right is the server's to say. */
const cel = StreamLanguage.define({
  name: 'cel',
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^r?("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return 'string';
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?u?/)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'atom';
    if (stream.match(/^in\b/)) return 'operator';
    if (stream.match(/^(?:event|payload|labels|entity|source)\b/)) return 'variableName';
    if (stream.match(/^[A-Za-z_]\w*(?=\s*\()/)) return 'keyword';
    if (stream.match(/^[A-Za-z_]\w*/)) return 'propertyName';
    if (stream.match(/^(?:&&|\|\||[=!<>]=|[<>!?:+\-*/%])/)) return 'operator';
    stream.next();
    return null;
  },
  languageData: { closeBrackets: { brackets: ['(', '[', '"', "'"] } },
});

const colours = HighlightStyle.define([
  { tag: tags.string, color: 'light-dark(#0f6b4f, #7fd6b2)' },
  { tag: [tags.number, tags.atom], color: 'light-dark(#9a4a00, #f0b072)' },
  { tag: tags.variableName, color: 'light-dark(#0b5f8a, #7cc7ee)' },
  { tag: tags.keyword, color: 'light-dark(#7a3aa0, #cfa5ee)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
]);

export const celLanguage = (): Extension => [cel, syntaxHighlighting(colours)];
