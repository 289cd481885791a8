import { StreamLanguage } from '@codemirror/language';

/** Enough of CEL's grammar to colour it; whether it is right is the server's to say. */
export const celLanguage = StreamLanguage.define({
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
