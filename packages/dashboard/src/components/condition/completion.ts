import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { KnownField } from './known-fields.ts';

const call = (label: string, detail: string): Completion => ({
  label,
  detail,
  type: 'function',
  apply: `${label}(`,
});

const functions: readonly Completion[] = [
  call('has', 'whether a field is there'),
  call('size', 'how long a text, a list or an object is'),
  call('re2', 'whether a text matches a pattern'),
  call('string', 'as a text'),
  call('int', 'as a whole number'),
  call('double', 'as a number'),
  call('timestamp', 'an RFC 3339 text as a time'),
  call('duration', 'a span of time: "90m"'),
];

const methods: readonly Completion[] = [
  call('contains', 'a text holds another'),
  call('startsWith', 'a text begins with another'),
  call('endsWith', 'a text ends with another'),
  call('size', 'how long it is'),
  call('lowerAscii', 'in small letters'),
  call('upperAscii', 'in capital letters'),
  call('trim', 'without blanks around it'),
  call('split', 'a text in parts'),
  call('exists', 'some item is such'),
  call('all', 'every item is such'),
  call('filter', 'the items that are such'),
  call('map', 'something of every item'),
  call('getHours', 'the hour of a time'),
  call('getDayOfWeek', 'the day of a time, 0 is Sunday'),
];

/** Names of fields from where the word begins, and functions where no field has begun. */
export const completeFields =
  (fieldsNow: () => readonly KnownField[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[A-Za-z_][\w.[\]"]*/);
    if (word === null && !context.explicit) return null;
    const fields = fieldsNow().map(
      ({ path, example }): Completion => ({ label: path, detail: example, type: 'property' }),
    );
    return {
      from: word?.from ?? context.pos,
      options: word?.text.includes('.') ? fields : [...fields, ...functions],
      validFor: /^[\w.[\]"]*$/,
    };
  };

export function completeMethods(context: CompletionContext): CompletionResult | null {
  const dot = context.matchBefore(/[\w\])"]\.\w*/);
  if (dot === null) return null;
  return { from: dot.from + 2, options: [...methods], validFor: /^\w*$/ };
}
