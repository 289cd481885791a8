import { type LargeEntityBodies, unpackEntities } from '../../core/entities/bodies.ts';
import { Problem } from '../../core/errors.ts';
import { createByteRoom, createByteRooms } from '../../core/http/byte-room.ts';
import { noRoomForBody } from '../../core/http/read-body.ts';
import type { Limits } from '../limits.ts';
import type { Extracted, Proof } from '../verification/received.ts';
import type { FromBodyThread, ToBodyThread } from './protocol.ts';
import type { WebhookContent, WebhookReading } from './read-webhook.ts';

/**
 * The thread that reads large bodies: some of five megabytes take a second and more to read, in which the endpoints
 * would answer nobody. Bodies go one at a time, and organisations take turns. It is started by the first large body.
 */
export interface BodyThread extends LargeEntityBodies {
  readBatch(
    orgId: string,
    bytes: Uint8Array,
    isHashed: boolean,
  ): Promise<{ packed: string; hash: string | null }>;
  readWebhook(orgId: string, bytes: Uint8Array, how: WebhookReading): Promise<WebhookContent>;
  /** What the signature of a provider needs of this body, which stays with its caller. */
  readProof(orgId: string, bytes: Uint8Array, provider: string): Promise<Extracted<Proof>>;
  stop(): void;
}

type StartBodyThread = (handlers: {
  onMessage(message: FromBodyThread): void;
  onFailure(reason: string): void;
}) => { post(message: ToBodyThread, moved?: ArrayBuffer[]): void; end(): void };

/** So many of the largest bodies may wait to be read, of one organisation and of all of them. */
const LARGE_BODIES_OF_ONE = 8;
const LARGE_BODIES_OF_ALL = 16;

type Reading = Exclude<ToBodyThread, { kind: 'open' }>;

interface Job {
  readonly reading: Reading;
  resolve(answer: FromBodyThread): void;
  reject(error: unknown): void;
}

export function createBodyThread(options: {
  readonly start: StartBodyThread;
  readonly limits: Limits;
  onError(error: unknown): void;
}): BodyThread {
  const { limits, onError } = options;
  const roomOf = createByteRooms(
    LARGE_BODIES_OF_ONE * limits.bodyBytes,
    createByteRoom(LARGE_BODIES_OF_ALL * limits.bodyBytes),
  );
  /** Whoever had a turn goes behind the others. */
  const waiting = new Map<string, Job[]>();
  let thread: ReturnType<StartBodyThread> | null = null;
  let current: Job | null = null;

  function begin(): ReturnType<StartBodyThread> {
    const started = options.start({
      onMessage(answer) {
        if (started !== thread) return;
        current?.resolve(answer);
        current = null;
        next();
      },
      onFailure(reason) {
        if (started !== thread) return;
        onError(new Error(`The thread that reads large bodies ended: ${reason}`));
        started.end();
        thread = null;
        current?.reject(notRead());
        current = null;
        next();
      },
    });
    started.post({ kind: 'open', limits });
    return started;
  }

  function next(): void {
    if (current !== null) return;
    for (const [orgId, [job, ...others]] of waiting) {
      waiting.delete(orgId);
      if (others.length > 0) waiting.set(orgId, others);
      if (job === undefined) continue;
      current = job;
      thread ??= begin();
      thread.post(job.reading, movable(job.reading));
      return;
    }
  }

  async function read(orgId: string, reading: Reading): Promise<FromBodyThread> {
    const room = roomOf(orgId);
    const size = reading.bytes.byteLength;
    if (!room.take(size)) throw noRoomForBody();
    try {
      const { promise, resolve, reject } = Promise.withResolvers<FromBodyThread>();
      waiting.set(orgId, [...(waiting.get(orgId) ?? []), { reading, resolve, reject }]);
      next();
      return await promise;
    } finally {
      room.give(size);
    }
  }

  return {
    async readBatch(orgId, bytes, isHashed) {
      const answer = await read(orgId, { kind: 'batch', bytes, isHashed });
      if (answer.kind !== 'batch') throw problemOf(answer);
      return answer;
    },
    async readWebhook(orgId, bytes, how) {
      const answer = await read(orgId, { kind: 'webhook', bytes, how });
      if (answer.kind !== 'webhook') throw problemOf(answer);
      return answer.content;
    },
    async readProof(orgId, bytes, provider) {
      const answer = await read(orgId, { kind: 'proof', bytes, provider });
      if (answer.kind !== 'proof') throw problemOf(answer);
      return answer.proof;
    },
    async readEntities(orgId, bytes) {
      const answer = await read(orgId, { kind: 'entities', bytes });
      if (answer.kind !== 'entities') throw problemOf(answer);
      return unpackEntities(answer.packed);
    },
    async readTraits(orgId, bytes) {
      const answer = await read(orgId, { kind: 'traits', bytes });
      if (answer.kind !== 'traits') throw problemOf(answer);
      return answer.traits;
    },
    stop() {
      thread?.end();
      thread = null;
      for (const job of [...(current === null ? [] : [current]), ...[...waiting.values()].flat()])
        job.reject(notRead());
      current = null;
      waiting.clear();
    },
  };
}

/** Bytes that have their memory to themselves need not be copied to go over, where nobody needs them afterwards. */
const movable = ({ kind, bytes: { buffer, byteLength } }: Reading): ArrayBuffer[] =>
  kind !== 'proof' && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

function problemOf(answer: FromBodyThread): Error {
  if (answer.kind !== 'refused')
    return new Error(answer.kind === 'failed' ? answer.reason : 'The thread answered something else.');
  const { code, message, path } = answer.refusal;
  return new Problem(code, path === undefined ? { message } : { message, path });
}

const notRead = () =>
  new Problem('storage_unavailable', {
    message: 'This body could not be read now. Nothing of it was stored: send it again.',
    retryAfter: 1,
  });
