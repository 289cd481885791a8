import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { KnownField } from './known-fields.ts';

const call = (label: string, detail: string): Completion => ({
  label,
  detail,
  type: 'function',
  apply: `${label}(`,
});

const functions: readonly Completion[] = [
  call('has', 'whether a field exists'),
  call('size', 'length of a string, list or object'),
  call('re2', 'whether a string matches a pattern'),
  call('string', 'as a string'),
  call('int', 'as an integer'),
  call('double', 'as a number'),
  call('timestamp', 'an RFC 3339 string as a timestamp'),
  call('duration', 'a duration: "90m"'),
];

const methods: readonly Completion[] = [
  call('contains', 'contains a substring'),
  call('startsWith', 'starts with a prefix'),
  call('endsWith', 'ends with a suffix'),
  call('size', 'length'),
  call('lowerAscii', 'in lower case'),
  call('upperAscii', 'in upper case'),
  call('trim', 'without surrounding whitespace'),
  call('split', 'split into a list'),
  call('exists', 'any item matches'),
  call('all', 'every item matches'),
  call('filter', 'the items that match'),
  call('map', 'each item transformed'),
  call('getHours', 'hour of a timestamp'),
  call('getDayOfWeek', 'day of the week, 0 is Sunday'),
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
