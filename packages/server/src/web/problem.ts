import { Problem } from '../core/errors.ts';

/** Error → envelope, in one place for every route. */
export function toResponse(problem: Problem): Response {
  const headers = new Headers();
  if (problem.retryAfter !== undefined) headers.set('Retry-After', String(problem.retryAfter));
  if (problem.allow !== undefined) headers.set('Allow', problem.allow);
  if (problem.code === 'unauthenticated') headers.set('WWW-Authenticate', 'Bearer');
  const { message, code, path } = problem;
  return Response.json({ error: { message, code, path } }, { status: problem.status, headers });
}

export const toProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem('internal');
