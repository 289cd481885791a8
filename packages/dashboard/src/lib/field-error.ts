import type { CallError } from './api/call.ts';
import { capitalised } from './format.ts';

/** The sentence for the field that a refusal is about: `password must have …` reads on under its label. */
export function errorAt(error: CallError | null, field: string): string | null {
  if (error?.path !== field) return null;
  const sentence = error.message.startsWith(`${field} `)
    ? error.message.slice(field.length + 1)
    : error.message;
  return capitalised(sentence);
}
