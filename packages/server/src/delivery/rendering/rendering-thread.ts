import { seconds } from '../../core/clock.ts';
import { createOwnerQueues } from '../../core/work/owner-queues.ts';
import { createStuckDetector } from '../../core/work/stuck.ts';
import type { OutgoingDelivery, Recipe } from '../destination.ts';
import type { RenderingCall, RenderingReply } from './rendering-protocol.ts';

/**
 * The outer end of the thread that renders large deliveries. It is started by the first who needs it. One that ends, or
 * does not get on, takes with it what was under way, which is attempted again; the next has another.
 */
export interface RenderingThread {
  /** Of an organisation one at a time, beside those of others. */
  render<T>(delivery: OutgoingDelivery, recipe: Recipe<T>): Promise<T>;
  stop(): void;
}

export type StartRenderingThread = (handlers: {
  onMessage(message: RenderingReply): void;
  onFailure(reason: string): void;
}) => { post(message: RenderingCall): void; end(): void };

const CHECK_EVERY_MS = 500;
/** Far more than the largest payload takes, on a machine that is busy with other things. */
const STUCK_AFTER_MS = seconds(30);

export function createRenderingThread(options: {
  readonly start: StartRenderingThread;
  onError(error: unknown): void;
  readonly stuckAfterMs?: number;
}): RenderingThread {
  const stuck = createStuckDetector(CHECK_EVERY_MS, options.stuckAfterMs ?? STUCK_AFTER_MS);
  // A destination has a limit of its own for what it sends at once, so none is needed here.
  const queues = createOwnerQueues({
    mostOfOne: Number.POSITIVE_INFINITY,
    refusal: () => new Error('Too many wait to be rendered.'),
  });
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let thread: ReturnType<StartRenderingThread> | null = null;
  let watch: ReturnType<typeof setInterval> | null = null;
  let calls = 0;
  let replies = 0;

  function begin(): ReturnType<StartRenderingThread> {
    const started = options.start({
      onMessage(reply) {
        if (started !== thread) return;
        replies++;
        const waiting = pending.get(reply.call);
        pending.delete(reply.call);
        if (pending.size === 0) stopWatch();
        if (reply.kind === 'rendered') waiting?.resolve(reply.value);
        else waiting?.reject(new Error(reply.message));
      },
      onFailure(reason) {
        if (started === thread) replace(`The thread that renders templates ended: ${reason}`);
      },
    });
    return started;
  }

  function check(): void {
    if (stuck.look(replies)) replace('The thread that renders templates did not get on.');
  }

  function replace(problem: string): void {
    options.onError(new Error(problem));
    end(problem);
  }

  function stopWatch(): void {
    if (watch !== null) clearInterval(watch);
    watch = null;
    stuck.reset();
  }

  function end(problem: string): void {
    thread?.end();
    thread = null;
    stopWatch();
    for (const { reject } of pending.values()) reject(new Error(problem));
    pending.clear();
  }

  function ask(message: Omit<RenderingCall, 'call'>): Promise<unknown> {
    thread ??= begin();
    watch ??= setInterval(check, CHECK_EVERY_MS);
    const call = ++calls;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    pending.set(call, { resolve, reject });
    thread.post({ call, ...message });
    return promise;
  }

  return {
    render<T>({ isStillWanted: _, ...delivery }: OutgoingDelivery, { kind, config }: Recipe<T>) {
      return queues.run(delivery.orgId, () => ask({ kind, config, delivery })) as Promise<T>;
    },
    stop: () => end('The service is stopping.'),
  };
}
