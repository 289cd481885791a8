import { seconds } from '../../core/clock.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import { NoLongerWanted, SendingInterrupted } from '../../core/http/outgoing.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { createCalledThread, type StartCalledThread } from '../../core/threads/called-thread.ts';
import { TextWriter } from '../../core/threads/packed-text.ts';
import type { Destination, OutgoingDelivery } from '../destination.ts';
import {
  packSend,
  type SendingCall,
  type SendingReply,
  type SendingSettings,
  unpackOutcomes,
} from './sending-protocol.ts';

/**
 * The outer end of the threads that send. Templates, signatures, connections and answers are theirs; whose turn it is,
 * and what becomes of an answer, is decided here. A destination is sent to from one thread, so that its connections
 * are in one place. Where a thread is replaced, all that was under way is sent again; no receiver is blamed.
 */
export interface SendingThreads {
  open(kind: string, config: JsonObject): Pick<Destination, 'send' | 'close'>;
  /**
   * Something was paused, changed or withdrawn: what was handed over and has not left yet is asked for again before it
   * does. Holds from the moment that this returns.
   */
  doubt(): void;
  stop(): void;
}

interface Options {
  readonly threads: number;
  readonly start: StartCalledThread<SendingCall, SendingReply>;
  readonly settings: SendingSettings;
  onError(error: unknown): void;
}

interface Pending {
  readonly delivery: OutgoingDelivery;
  resolve(result: AttemptResult): void;
  reject(error: Error): void;
}

interface Batch extends Pick<Extract<SendingCall, { kind: 'send' }>, 'doubts' | 'at'> {
  readonly writer: TextWriter;
}

const CHECK_EVERY_MS = 500;
/** Far more than anything that it does at a stretch. */
const STUCK_AFTER_MS = seconds(30);
const STARTED_WITHIN_MS = seconds(60);

export function createSendingThreads(options: Options): SendingThreads {
  const doubts = new Int32Array(new SharedArrayBuffer(4));
  const threads = Array.from({ length: options.threads }, () => createSendingThread(options, doubts));
  const leastUsed = () => threads.reduce((least, one) => (one.open.size < least.open.size ? one : least));
  let opened = 0;
  return {
    open(kind, config) {
      const thread = leastUsed();
      const destination = ++opened;
      thread.add(destination, { kind, config });
      return {
        send: delivery => thread.send(destination, delivery),
        close: async () => thread.remove(destination),
      };
    },
    doubt: () => void Atomics.add(doubts, 0, 1),
    stop() {
      for (const thread of threads) thread.stop();
    },
  };
}

function createSendingThread({ start, settings, onError }: Options, doubts: Int32Array) {
  /** Told to every thread that is started, so that one that takes over knows all of them. */
  const open = new Map<number, { readonly kind: string; readonly config: JsonObject }>();
  let beats = new Int32Array(new SharedArrayBuffer(4));
  let batch: Batch | null = null;

  const openCall = (
    destination: number,
    { kind, config }: { kind: string; config: JsonObject },
  ): SendingCall => ({
    kind: 'open',
    destination,
    of: kind,
    config,
  });

  const thread = createCalledThread<SendingCall, SendingReply, Pending>({
    start,
    name: 'A thread that sends',
    greet(post) {
      beats = new Int32Array(new SharedArrayBuffer(4));
      const shared = {
        heartbeats: beats.buffer as SharedArrayBuffer,
        doubts: doubts.buffer as SharedArrayBuffer,
      };
      post({ kind: 'begin', shared, settings });
      for (const [destination, one] of open) post(openCall(destination, one));
    },
    onMessage(reply) {
      if (reply.kind === 'ask') return void answer(reply.call);
      if (reply.kind === 'problem') return onError(new Error(reply.message));
      for (const { call, outcome } of unpackOutcomes(reply.packed)) {
        const pending = thread.take(call);
        if (outcome.kind === 'result') pending?.resolve(outcome.result);
        else pending?.reject(outcome.kind === 'unwanted' ? new NoLongerWanted() : new Error(outcome.message));
      }
    },
    progress: () => Atomics.load(beats, 0),
    abandon: ({ reject }, reason) => reject(new SendingInterrupted(reason)),
    onError,
    checkEveryMs: CHECK_EVERY_MS,
    stuckAfterMs: STUCK_AFTER_MS,
    startedWithinMs: STARTED_WITHIN_MS,
  });

  async function answer(call: number): Promise<void> {
    const asked = thread.peek(call);
    const isWanted = await (asked?.delivery.isStillWanted() ?? false);
    if (thread.peek(call) === asked) thread.postIfStarted({ kind: 'wanted', call, isWanted });
  }

  /** What may come into doubt from here on is asked for again: each was wanted when it was handed over, not later. */
  function beginBatch(): Batch {
    const begun = { writer: new TextWriter(), doubts: Atomics.load(doubts, 0), at: process.hrtime.bigint() };
    queueMicrotask(() => flush(begun));
    return begun;
  }

  /** What is sent in one turn of the event loop goes over together. */
  function flush({ writer, ...asOf }: Batch): void {
    batch = null;
    thread.post({ kind: 'send', packed: writer.end(), ...asOf });
  }

  return {
    open: open as ReadonlyMap<number, unknown>,
    add(destination: number, one: { readonly kind: string; readonly config: JsonObject }): void {
      open.set(destination, one);
      thread.postIfStarted(openCall(destination, one));
    },
    remove(destination: number): void {
      open.delete(destination);
      thread.postIfStarted({ kind: 'close', destination });
    },
    send(destination: number, delivery: OutgoingDelivery): Promise<AttemptResult> {
      const { promise, resolve, reject } = Promise.withResolvers<AttemptResult>();
      const call = thread.begin({ delivery, resolve, reject });
      batch ??= beginBatch();
      packSend(batch.writer, { call, destination, delivery });
      return promise;
    },
    stop: thread.stop,
  };
}
