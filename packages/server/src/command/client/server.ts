import { explain } from '../explain.ts';

/** The service, as a command on any machine speaks to it. */

/** It could not be reached, or answers what no Sluice answers: exit code 2. */
export class NotReached extends Error {}

/** Exit code of the commands that speak to a server they cannot reach. */
export const NOT_REACHED = 2;

/** A refusal of the service: its status and its sentence. */
export interface ServerRefusal {
  readonly status: number;
  readonly message: string;
  readonly code: string | null;
  readonly path: string | null;
}

/** What an answer outside 2xx says, in the envelope or not. */
export async function readRefusal(response: Response): Promise<ServerRefusal> {
  const { status } = response;
  const unknown = { status, message: `The server answered with status ${status}.`, code: null, path: null };
  const body: unknown = await response.json().catch(() => null);
  const error = (body as { error?: { message?: unknown; code?: unknown; path?: unknown } } | null)?.error;
  if (typeof error?.message !== 'string') return unknown;
  return {
    status,
    message: error.message,
    code: typeof error.code === 'string' ? error.code : null,
    path: typeof error.path === 'string' ? error.path : null,
  };
}

/** Why a request got no answer, in a sentence that names the server. */
export const whyNotReached = (url: string, error: unknown): string =>
  `${new URL(url).origin} could not be reached: ${explain(error)}`;

export const serverAddressOf = (base: string, path: string): string => `${base.replace(/\/+$/, '')}${path}`;
