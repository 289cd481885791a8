import { seconds } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { type Json, parseJson, stringifyJson } from '../../../core/json/json.ts';
import { createCalledThread, type StartCalledThread } from '../../../core/threads/called-thread.ts';
import { createOwnerQueues } from '../../../core/work/owner-queues.ts';
import type { ReadText, TextProblem } from './yaml-text.ts';

/** The thread that reads and writes configuration files: half a megabyte of YAML takes seconds. Started when one is there. */
export interface DocumentThread {
  read(orgId: string, text: string): Promise<ReadText | { readonly problems: readonly TextProblem[] }>;
  write(orgId: string, document: WrittenDocument): Promise<string>;
  stop(): void;
}

export interface WrittenDocument {
  readonly value: Json;
  /** Where `!secret` stands. */
  readonly marks: readonly (readonly (string | number)[])[];
  readonly comment: string;
}

/** Values go over as JSON text: a copy would lose keys such as `__proto__`. */
export type DocumentCall =
  | { readonly call: number; readonly kind: 'read'; readonly text: string }
  | ({ readonly call: number; readonly kind: 'write'; readonly json: string } & Omit<
      WrittenDocument,
      'value'
    >);

export type DocumentReply = { readonly call: number } & (
  | ({ readonly kind: 'read'; readonly json: string } & Omit<ReadText, 'value'>)
  | { readonly kind: 'problems'; readonly problems: readonly TextProblem[] }
  | { readonly kind: 'written'; readonly text: string }
);

const CHECK_EVERY_MS = 500;
/** Far more than the largest file takes, on a machine that is busy with other things. */
const STUCK_AFTER_MS = seconds(30);
/** Of one organisation, waiting or under way. */
const MOST_OF_ONE = 4;

export function createDocumentThread(options: {
  readonly start: StartCalledThread<DocumentCall, DocumentReply>;
  onError(error: unknown): void;
  readonly stuckAfterMs?: number;
}): DocumentThread {
  const { start, onError, stuckAfterMs = STUCK_AFTER_MS } = options;
  const queues = createOwnerQueues({
    mostOfOne: MOST_OF_ONE,
    refusal: () =>
      new Problem('rate_limited', {
        message: 'Too many configuration files of this organisation are being read. Try again.',
        retryAfter: 2,
      }),
  });
  let replies = 0;
  const thread = createCalledThread<DocumentCall, DocumentReply, PromiseWithResolvers<DocumentReply>>({
    start,
    name: 'The thread that reads configuration files',
    onMessage(reply) {
      replies++;
      thread.take(reply.call)?.resolve(reply);
    },
    progress: () => replies,
    abandon: pending =>
      pending.reject(
        new Problem('validation_failed', { path: 'document', message: 'The file takes too long to read.' }),
      ),
    onError,
    checkEveryMs: CHECK_EVERY_MS,
    stuckAfterMs,
    startedWithinMs: stuckAfterMs,
  });

  function ask(make: (call: number) => DocumentCall): Promise<DocumentReply> {
    const pending = Promise.withResolvers<DocumentReply>();
    thread.post(make(thread.begin(pending)));
    return pending.promise;
  }

  return {
    async read(orgId, text) {
      const reply = await queues.run(orgId, () => ask(call => ({ call, kind: 'read', text })));
      if (reply.kind === 'read')
        return { value: parseJson(reply.json), lines: reply.lines, marks: reply.marks };
      return { problems: reply.kind === 'problems' ? reply.problems : [] };
    },
    async write(orgId, { value, ...rest }) {
      const json = stringifyJson(value);
      const reply = await queues.run(orgId, () => ask(call => ({ call, kind: 'write', json, ...rest })));
      return reply.kind === 'written' ? reply.text : '';
    },
    stop: thread.stop,
  };
}
