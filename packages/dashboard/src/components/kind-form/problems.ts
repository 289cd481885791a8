import type { CallError } from '../../lib/api/call.ts';
import { capitalised } from '../../lib/format.ts';

/** What is wrong with a field, by its path inside the configuration: `model.base_url`. */
export type Problems = Readonly<Record<string, string>>;

/**
 * An error of the server as a problem at its field: `config.auth.secret is required.` becomes `Is required.` at
 * `auth.secret`. Empty where it is about something else; then it stands above the form.
 */
export function problemsOf(error: CallError | null, root: string): Problems {
  const path = error?.path ?? '';
  if (error === null || !path.startsWith(`${root}.`)) return {};
  return { [path.slice(root.length + 1)]: shortened(error.message, path) };
}

/** What an error says of one field, or null where it is about another. */
export const problemOf = (error: CallError | null, path: string): string | null =>
  error?.path === undefined || error.path === null
    ? null
    : problemAt({ [error.path]: shortened(error.message, error.path) }, path);

/** Beside its field a sentence need not name the field. */
export function shortened(message: string, path: string): string {
  if (!message.startsWith(`${path} `) && !message.startsWith(`${path}: `)) return message;
  const rest = message.slice(path.length).replace(/^:?\s+/, '');
  return capitalised(rest);
}

/** The problem of a field, or of something inside it that has no field of its own, such as `to[0]`. */
export function problemAt(problems: Problems, place: string): string | null {
  const inside = Object.entries(problems).find(
    ([path]) => path === place || path.startsWith(`${place}[`) || path.startsWith(`${place}.`),
  );
  return inside?.[1] ?? null;
}
