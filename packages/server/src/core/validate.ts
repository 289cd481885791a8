import type { z } from 'zod';
import { invalid, type Problem } from './errors.ts';
import { joinPath } from './json.ts';

/** The value as its schema reads it, or a 400 that names the first offending field in a plain sentence. */
export function validate<T extends z.ZodType>(schema: T, value: unknown, root = ''): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw describe(parsed.error.issues[0], root);
}

function describe(issue: z.core.$ZodIssue | undefined, root: string): Problem {
  if (issue === undefined) return invalid(root, 'The request does not have the expected shape.');
  let path = root;
  for (const key of issue.path) path = joinPath(path, typeof key === 'symbol' ? String(key) : key);
  const named = (at: string) => (at === '' ? 'The body' : at);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const field = joinPath(path, issue.keys[0] ?? '');
      return invalid(field, `${field} is not a known field.`);
    }
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('undefined')
        ? invalid(path, `${named(path)} is required.`)
        : invalid(path, `${named(path)} must be ${withArticle(issue.expected)}.`);
    case 'invalid_value':
      return invalid(
        path,
        `${named(path)} must be ${issue.values.map(value => JSON.stringify(value)).join(' or ')}.`,
      );
    case 'invalid_union':
      return invalid(
        path,
        issue.message === 'Invalid input' ? `${named(path)} has no known shape.` : issue.message,
      );
    case 'too_small':
    case 'too_big':
    case 'custom':
      return invalid(path, sentence(named(path), issue.message));
    default:
      return invalid(path, sentence(named(path), issue.message));
  }
}

/** Our own messages begin with a verb ("must have …"); a library's own is a sentence already. */
const sentence = (subject: string, message: string): string =>
  /^(must|may) /.test(message) ? `${subject} ${message}` : `${subject}: ${message}`;

const withArticle = (type: string): string => {
  const name = type === 'int' ? 'whole number' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
};
