import type { Fleet } from './fleet.ts';
import type { RunFiles } from './journal.ts';
import type { AnswerLine, Lack } from './lines.ts';

/** Nodes to ask, and a clock. */
export interface Askable {
  readonly fleet: Pick<Fleet, 'life' | 'size' | 'url'>;
  readonly files: Pick<RunFiles, 'now' | 'write'>;
}

/** How long somebody waits: senders are to be told within 13 seconds that storage is away, people only after a minute. */
export const PATIENCE_MS = { sender: 15_000, operator: 75_000 };

/** One request to a node, and what came of it: an answer that came whole, or why there is none. */
export async function ask(
  { fleet, files }: Askable,
  node: number,
  path: string,
  { waitMs, ...given }: RequestInit & { readonly waitMs: number },
): Promise<{ readonly line: AnswerLine; readonly body: unknown; readonly headers: Headers | null }> {
  const asked = { sentAt: files.now(), node, life: fleet.life(node) };
  const came = await fetch(fleet.url(node) + path, { ...given, signal: AbortSignal.timeout(waitMs) })
    .then(async response => ({ response, text: await response.text() }))
    .catch((error: unknown) => lackOf(error));
  const at = files.now();
  if (typeof came === 'string') {
    const none = { status: null, lack: came, retryAfter: null, error: null };
    return { line: { ...asked, at, ...none }, body: null, headers: null };
  }
  const { status, headers } = came.response;
  const body = readJson(came.text);
  const isYes = status < 300 && body !== undefined;
  const said = { status, retryAfter: headers.get('retry-after'), error: isYes ? null : came.text };
  return { line: { ...asked, at, lack: null, ...said }, body, headers };
}

function lackOf(error: unknown): Lack {
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === 'TimeoutError') return 'out of time';
  return code === 'ECONNREFUSED' || code === 'ConnectionRefused' ? 'refused' : 'reset';
}

/** Undefined where it is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
