import { FORWARD_HEADER, LISTEN_PATH, LISTEN_RESULTS_PATH, listenResult } from '@sluice/contract/listen';
import type { Hono } from 'hono';
import { seconds } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import type { ListenerAccess } from '../../core/kinds/listeners.ts';
import { answer } from '../answer.ts';
import type { WebEnv } from '../env.ts';
import { type BodyReading, readJson } from '../read-json.ts';

/** An answer of 16 Ki characters, each of them escaped, and what stands around it. */
const MOST_RESULT_BYTES = 128 * 1024;
/** A result is small: whoever takes longer holds a place for nothing. */
const RESULT_TIMEOUT_MS = seconds(10);

/** Where `sluice listen` connects. Spoken by the command alone: it is no part of the public API, and may change. */
export function addListen(
  app: Hono<WebEnv>,
  parts: { readonly listeners: ListenerAccess } & BodyReading,
): void {
  const { listeners, room } = parts;
  const limits = { ...parts.limits, bodyBytes: MOST_RESULT_BYTES };

  app.get(LISTEN_PATH, async context => {
    const { raw: request } = context.req;
    const stream = await listeners.connect(tokenOf(request), forwardOf(request));
    return new Response(stream, {
      headers: {
        'Content-Type': 'text/event-stream',
        'X-Accel-Buffering': 'no',
        'Cache-Control': 'no-store',
      },
    });
  });

  app.post(LISTEN_RESULTS_PATH, async context => {
    const { raw: request } = context.req;
    const token = tokenOf(request);
    const result = await readJson(request, listenResult, { limits, room, timeoutMs: RESULT_TIMEOUT_MS });
    return answer({ taken: listeners.answer(token, result) });
  });
}

function tokenOf(request: Request): string {
  const [, token] = /^bearer ([\x21-\x7e]{1,512})$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined) throw new Problem('unauthenticated');
  return token;
}

/** Shown to people beside each attempt, and used for nothing else. */
const forwardOf = (request: Request): string =>
  (request.headers.get(FORWARD_HEADER) ?? '').replace(/[^\x21-\x7e]/g, '').slice(0, 500) || 'a local server';
