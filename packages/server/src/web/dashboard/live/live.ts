import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalid } from '../../../core/errors.ts';
import { validate } from '../../../core/http/validate.ts';
import { END, type LiveFeed, message } from '../../../telemetry/live-feed.ts';
import type { LoginSession, LoginSessions } from '../access/sessions.ts';
import { type Calls, NOT_FOLLOWED } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';

/** A page watches a handful of answers at most. */
const MOST_CALLS = 16;
const LONGEST_CALL = 2_048;

const STREAM = 'text/event-stream';

/** Answers the private call at this path, for whoever sent the request. */
export type CallAgain = (call: SessionCall, path: string) => Promise<Response>;

/**
 * Pages that refresh themselves: a stream follows any of the private calls that read, and sends each answer when it
 * begins and whenever it has changed. So whoever comes back after a break has missed nothing.
 */
export function liveCalls(
  calls: Calls,
  parts: { readonly live: LiveFeed; readonly sessions: LoginSessions; readonly callAgain: CallAgain },
): void {
  const { live, sessions, callAgain } = parts;

  calls.on('GET /live', 'read', async call => {
    requireStream(call);
    const paths = readPaths(call.request);
    const isNew = createMemory();
    const stream = answerStream(live, call.session, async () => {
      if (!(await isStillThere(sessions, call))) return END;
      const answers = await Promise.all(
        paths.map(async path => toMessage(path, await callAgain(call, path))),
      );
      return answers.filter((answer, i) => isNew(paths[i] ?? '', answer));
    });
    return call.respond(stream);
  });
}

/**
 * Whether the answer differs from the one sent before. It keeps digests: answers may be large, and streams are many.
 */
export function createMemory(): (path: string, answer: string) => boolean {
  const sent = new Map<string, string>();
  return (path, answer) => {
    const digest = createHash('sha256').update(answer).digest('base64');
    if (sent.get(path) === digest) return false;
    sent.set(path, digest);
    return true;
  };
}

/** The answer as text, as it came: read and written again, some of its numbers would change. */
async function toMessage(path: string, response: Response): Promise<string> {
  const call = JSON.stringify(path);
  if (!response.headers.get('content-type')?.startsWith('application/json')) {
    await response.body?.cancel();
    const error = { message: NOT_FOLLOWED, code: 'validation_failed' };
    return message('refused', `{"call":${call},"status":400,"answer":${JSON.stringify({ error })}}`);
  }
  const body = await response.text();
  return response.ok
    ? message('answer', `{"call":${call},"answer":${body}}`)
    : message('refused', `{"call":${call},"status":${response.status},"answer":${body}}`);
}

/** Whether the session still holds, in the organisation that the stream is about. */
export async function isStillThere(
  sessions: LoginSessions,
  { request, client, session }: SessionCall,
): Promise<boolean> {
  const now = await sessions.of(request, client).catch(() => null);
  return now !== null && now.orgId === session.orgId;
}

/** Streams are for those who ask for one: anybody else would wait for an end that does not come. */
export function requireStream({ request }: SessionCall): void {
  if (request.headers.get('accept')?.includes(STREAM)) return;
  throw invalid('', `This call answers with a stream of events: ask for it with "Accept: ${STREAM}".`);
}

export function answerStream(
  live: LiveFeed,
  session: LoginSession,
  look: Parameters<LiveFeed['stream']>[1],
): Response {
  live.requireRoom(session);
  return new Response(live.stream(session, look), {
    headers: { 'Content-Type': STREAM, 'X-Accel-Buffering': 'no' },
  });
}

const followed = z.strictObject({
  call: z
    .array(
      z
        .string()
        .max(LONGEST_CALL, `may have ${LONGEST_CALL} characters at most.`)
        .startsWith('/', 'must be the path of a private call, such as /jobs.'),
    )
    .min(1, 'is required: the path of a private call, such as /jobs.')
    .max(MOST_CALLS, `may name ${MOST_CALLS} calls at most.`),
});

function readPaths(request: Request): string[] {
  const { searchParams } = new URL(request.url);
  const others = Object.fromEntries([...searchParams].filter(([name]) => name !== 'call'));
  return validate(followed, { ...others, call: [...new Set(searchParams.getAll('call'))] }).call;
}
