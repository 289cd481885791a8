import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '../../core/clock.ts';
import { readRetryAfter } from '../../core/http/retry-after.ts';
import { jittered } from '../../core/work/backoff.ts';
import {
  NotReached,
  readRefusal,
  type ServerRefusal,
  serverAddressOf,
  whyNotReached,
} from '../client/server.ts';

/** An event of a batch: its JSON text, and the line it comes from. */
export interface LineEvent {
  readonly line: number;
  readonly json: string;
}

interface UploadOptions {
  readonly url: string;
  readonly key: string;
  /** How often a batch is tried again that got no answer, or was put off. */
  readonly retries: number;
  onTaken(events: number): void;
  /** The service will not have it, in its own sentence. */
  onRefused(line: number, message: string): void;
}

/** The key opens nothing: what comes next would fare no better. */
export class KeyRefused extends Error {}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = seconds(15);
const TIMEOUT_MS = seconds(60);

/**
 * Sends batches, each under one idempotency key that it keeps over its retries: whatever became of a request that got no
 * answer, its events are stored once. An event that is refused is named, and the rest goes out again under a new key,
 * since it is another batch by then. Where the service does not say which event it means, halves find it.
 */
export function createUpload(options: UploadOptions): (batch: readonly LineEvent[]) => Promise<void> {
  const address = serverAddressOf(options.url, '/v1/ingest');

  async function post(body: string, key: string): Promise<ServerRefusal | 'taken'> {
    for (
      let attempt = 0, pauseMs = FIRST_PAUSE_MS;
      ;
      attempt++, pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      const answer = await fetch(address, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${options.key}`,
          'content-type': 'application/json',
          'x-ingest-idempotency-key': key,
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => new NotReached(whyNotReached(options.url, error)));
      if (!(answer instanceof Error) && answer.status === 202) {
        await answer.body?.cancel();
        return 'taken';
      }
      const problem = answer instanceof Error ? answer : await readRefusal(answer);
      if (!(problem instanceof Error) && !isPutOff(problem.status)) return problem;
      if (attempt >= options.retries) throw new NotReached(problem.message);
      const asked = answer instanceof Error ? null : answer.headers.get('retry-after');
      await sleep(Math.max(jittered(pauseMs, Math.random), readRetryAfter(asked, Date.now()) ?? 0));
    }
  }

  async function upload(batch: readonly LineEvent[]): Promise<void> {
    if (batch.length === 0) return;
    const body = `{"events":[${batch.map(({ json }) => json).join(',')}]}`;
    const answer = await post(body, `send-${randomUUID()}`);
    if (answer === 'taken') return options.onTaken(batch.length);
    if (answer.status === 401 || answer.status === 403) throw new KeyRefused(answer.message);
    if (answer.status === 404 || answer.status === 405) throw new NotReached(answer.message);
    const index = batch.length === 1 ? 0 : indexOf(answer, batch.length);
    if (index === null) {
      const half = Math.ceil(batch.length / 2);
      await upload(batch.slice(0, half));
      return upload(batch.slice(half));
    }
    const { line } = batch[index] ?? { line: 0 };
    options.onRefused(line, answer.message.replaceAll(`events[${index}]`, 'event'));
    await upload(batch.toSpliced(index, 1));
  }
  return upload;
}

const isPutOff = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Which event of the batch is meant; null where nobody can say. */
function indexOf({ path }: ServerRefusal, length: number): number | null {
  const [, index] = /^events\[(\d+)\]/.exec(path ?? '') ?? [];
  return index !== undefined && Number(index) < length ? Number(index) : null;
}
