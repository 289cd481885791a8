import { stringifyJson } from '../core/json/json.ts';

/** Success in the envelope. Whole numbers go out exactly, whatever their size. */
export const answer = (data: unknown, status: 200 | 201 = 200): Response => respond({ data }, status);

/** A page of a list; `more` stands beside the envelope's own fields. */
export const answerPage = (
  rows: readonly unknown[],
  nextCursor: string | null,
  more: Readonly<Record<string, unknown>> = {},
): Response => respond({ data: rows, next_cursor: nextCursor, ...more }, 200);

const respond = (body: object, status: number): Response =>
  new Response(stringifyJson(body), { status, headers: { 'Content-Type': 'application/json' } });
