import type { Scope } from '../../core/event/scope.ts';
import type { Budget } from '../../core/expressions/cel/budget.ts';
import { compileTemplate, type Escape } from '../../core/expressions/template.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import { stringifyJson } from '../../core/json/json.ts';

/** Messages: texts that people wrote with references in them, compiled and rendered. */

/** A text that somebody wrote with references in it, compiled. */
interface Message {
  readonly readsTraits: boolean;
  check(): void;
  render(scope: Scope, budget: Budget): Rendered<string>;
}

/** Rendering fails where it takes more than an event may take. */
export type Rendered<T> =
  | { readonly kind: 'rendered'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

export function compileMessage(source: string, path: string, escapeText?: Escape): Message {
  const template = compileTemplate(source, path, escapeText);
  return {
    readsTraits: template.readsTraits,
    check: template.check,
    render(scope, budget) {
      const resolved = template.resolve(scope, budget);
      if (resolved.kind === 'over_budget') return { kind: 'failed', failure: tooMuch(resolved.reason) };
      const { value } = resolved;
      if (typeof value === 'string') return { kind: 'rendered', value };
      // What was taken with its type becomes a text only here, and no text of an event goes out unescaped.
      const text = value == null ? '' : stringifyJson(value);
      return { kind: 'rendered', value: escapeText?.(text) ?? text };
    },
  };
}

export const tooMuch = (reason: string): OutgoingFailure => ({
  code: 'too_large',
  message: `A template could not be filled in. ${reason}`,
});

/** An attempt that failed before anything was sent, as every further one would. */
export const unsent = (target: string, failure: OutgoingFailure): AttemptResult => ({
  outcome: 'failed',
  ...failure,
  request: { target, headers: {}, body: '' },
  status: null,
  response: null,
  durationMs: 0,
  retryAfterMs: null,
  isFinal: true,
});
