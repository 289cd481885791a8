import type { z } from 'zod';
import { invalid, type Problem } from '../errors.ts';
import { joinPath, sentenceSubject } from '../json/json.ts';

/** The value as its schema reads it, or a 400 that names the first offending field in a plain sentence. */
export function validate<T extends z.ZodType>(schema: T, value: unknown, root = ''): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw describe(parsed.error.issues[0], root);
}

function describe(issue: Issue | undefined, root: string): Problem {
  if (issue === undefined) return invalid(root, 'The request does not have the expected shape.');
  let path = root;
  for (const key of issue.path) path = joinPath(path, nameOf(key));
  if (issue.code === 'unrecognized_keys') {
    const field = joinPath(path, issue.keys[0] ?? '');
    return invalid(field, `${field} is not a known field.`);
  }
  if (issue.code === 'invalid_key') {
    const key = nameOf(issue.path.at(-1) ?? '');
    const parent = issue.path.slice(0, -1).reduce<string>((at, part) => joinPath(at, nameOf(part)), root);
    const subject = `The key ${JSON.stringify(key)} of ${sentenceSubject(parent)}`;
    return invalid(path, sentence(subject, issue.issues[0]));
  }
  return invalid(path, sentence(sentenceSubject(path), issue));
}

type Issue = z.core.$ZodIssue;

const nameOf = (key: PropertyKey): string | number => (typeof key === 'symbol' ? String(key) : key);

/** Our own messages say what there must be of the field; what a library says is put into such words. */
function sentence(subject: string, issue: Issue | undefined): string {
  if (issue === undefined) return `${subject} does not have the expected shape.`;
  if (/^(must|may|is) /.test(issue.message)) return `${subject} ${issue.message}`;
  if (/^(Invalid|Too) /.test(issue.message)) return `${subject} ${inPlainWords(issue)}`;
  return issue.code === 'invalid_union' ? issue.message : `${subject}: ${issue.message}`;
}

function inPlainWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('undefined')
        ? 'is required.'
        : `must be ${withArticle(issue.expected)}.`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}.`;
    case 'invalid_union':
      return 'options' in issue ? `must be ${oneOf(issue.options ?? [])}.` : 'has no known shape.';
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum), issue.inclusive !== false);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}.`;
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address.' : 'does not have the expected form.';
    default:
      return 'does not have the expected shape.';
  }
}

const oneOf = (values: readonly unknown[]): string => values.map(value => JSON.stringify(value)).join(' or ');

function tooSmall(origin: string, least: number, isAllowed: boolean): string {
  if (origin === 'string') return `must have at least ${counted(least, 'character')}.`;
  if (holdsItems(origin)) return `must hold at least ${counted(least, 'item')}.`;
  return isAllowed ? `must be at least ${least}.` : `must be more than ${least}.`;
}

function tooBig(origin: string, most: number, isAllowed: boolean): string {
  if (origin === 'string') return `may have at most ${counted(most, 'character')}.`;
  if (holdsItems(origin)) return `may hold at most ${counted(most, 'item')}.`;
  return isAllowed ? `must be at most ${most}.` : `must be less than ${most}.`;
}

const holdsItems = (origin: string): boolean => ['array', 'set', 'map'].includes(origin);

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const withArticle = (type: string): string => {
  const name = type === 'int' ? 'whole number' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
};
