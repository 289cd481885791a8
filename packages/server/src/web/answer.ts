/** Success in the envelope. */
export const answer = (data: unknown, status: 200 | 201 = 200): Response =>
  Response.json({ data }, { status });

/** A page of a list; `more` stands beside the envelope's own fields. */
export const answerPage = (
  rows: readonly unknown[],
  nextCursor: string | null,
  more: Readonly<Record<string, unknown>> = {},
): Response => Response.json({ data: rows, next_cursor: nextCursor, ...more });
