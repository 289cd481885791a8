import { seconds } from '../../core/clock.ts';
import { createCalledThread, type StartCalledThread } from '../../core/threads/called-thread.ts';
import { createOwnerQueues } from '../../core/work/owner-queues.ts';
import type { OutgoingDelivery, Recipe } from '../destination.ts';
import type { RenderingCall, RenderingReply } from './rendering-protocol.ts';

/** The outer end of the thread that renders large deliveries. Where that is replaced, all that was under way is attempted again. */
export interface RenderingThread {
  /** Of an organisation one at a time, beside those of others. */
  render<T>(delivery: OutgoingDelivery, recipe: Recipe<T>): Promise<T>;
  stop(): void;
}

const CHECK_EVERY_MS = 500;
/** Far more than the largest payload takes, on a machine that is busy with other things; loading it is counted in. */
const STUCK_AFTER_MS = seconds(30);

export function createRenderingThread(options: {
  readonly start: StartCalledThread<RenderingCall, RenderingReply>;
  onError(error: unknown): void;
  readonly stuckAfterMs?: number;
}): RenderingThread {
  const { start, onError, stuckAfterMs = STUCK_AFTER_MS } = options;
  // A destination has a limit of its own for what it sends at once, so none is needed here.
  const queues = createOwnerQueues({
    mostOfOne: Number.POSITIVE_INFINITY,
    refusal: () => new Error('Too many wait to be rendered.'),
  });
  let replies = 0;
  const thread = createCalledThread<RenderingCall, RenderingReply, PromiseWithResolvers<unknown>>({
    start,
    name: 'The thread that renders templates',
    onMessage(reply) {
      replies++;
      const waiting = thread.take(reply.call);
      if (reply.kind === 'rendered') waiting?.resolve(reply.value);
      else waiting?.reject(new Error(reply.message));
    },
    progress: () => replies,
    abandon: ({ reject }, reason) => reject(new Error(reason)),
    onError,
    checkEveryMs: CHECK_EVERY_MS,
    stuckAfterMs,
    startedWithinMs: stuckAfterMs,
  });

  function ask(message: Omit<RenderingCall, 'call'>): Promise<unknown> {
    const pending = Promise.withResolvers<unknown>();
    const call = thread.begin(pending);
    thread.post({ call, ...message });
    return pending.promise;
  }

  return {
    render<T>({ isStillWanted: _, ...delivery }: OutgoingDelivery, { kind, config }: Recipe<T>) {
      return queues.run(delivery.orgId, () => ask({ kind, config, delivery })) as Promise<T>;
    },
    stop: thread.stop,
  };
}
