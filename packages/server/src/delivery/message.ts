import { stringifyJson } from '../core/json.ts';
import type { Failure } from '../core/outgoing.ts';
import { compileTemplate, type Escape } from '../core/reference.ts';
import type { Scope } from '../core/scope.ts';
import type { AttemptResult } from './attempt.ts';

/** A text that somebody wrote with references in it, compiled. */
export interface Message {
  readonly readsTraits: boolean;
  fill(scope: Scope): Filled<string>;
}

/** Filling in fails where it takes more than an event may take. */
export type Filled<T> =
  | { readonly kind: 'filled'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: Failure };

export function compileMessage(text: string, path: string, escapeText?: Escape): Message {
  const template = compileTemplate(text, path, escapeText);
  return {
    readsTraits: template.readsTraits,
    fill(scope) {
      const resolved = template.resolve(scope);
      if (resolved.kind === 'over_budget') return { kind: 'failed', failure: tooMuch(resolved.reason) };
      const { value } = resolved;
      const filled = typeof value === 'string' ? value : value == null ? '' : stringifyJson(value);
      return { kind: 'filled', value: filled };
    },
  };
}

export const tooMuch = (reason: string): Failure => ({
  code: 'too_large',
  message: `The template could not be filled in: ${reason}.`,
});

/** An attempt that failed before anything was sent. */
export const unsent = (target: string, failure: Failure): AttemptResult => ({
  outcome: 'failed',
  ...failure,
  request: { target, headers: {}, body: '' },
  status: null,
  response: null,
  durationMs: 0,
  retryAfterMs: null,
});
