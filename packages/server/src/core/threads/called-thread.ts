import { createStuckDetector } from '../work/stuck.ts';

/**
 * The outer end of a thread that answers calls. It is started by the first call and watched while any is pending. One
 * that ends, or does not get on, takes with it what was pending; the next call has another.
 */
interface CalledThread<Sent, Pending> {
  /** Keeps what is pending until it is taken, and answers its number. What is to be done is posted with that. */
  begin(pending: Pending): number;
  post(message: Sent): void;
  /** Only where there is one: nobody is started for this. */
  postIfStarted(message: Sent): void;
  peek(call: number): Pending | undefined;
  take(call: number): Pending | undefined;
  /** For good: nobody is started any more. */
  stop(): void;
}

/** How a thread is started, and what of it the outer end needs. */
export type StartCalledThread<Sent, Received> = (handlers: {
  onMessage(message: Received): void;
  onFailure(reason: string): void;
}) => { post(message: Sent): void; end(): void };

const STOPPING = 'The service is stopping.';

export function createCalledThread<Sent, Received, Pending>(options: {
  readonly start: StartCalledThread<Sent, Received>;
  /** Such as “The thread that renders templates”. */
  readonly name: string;
  /** The first messages to each that is started, before any call. */
  greet?(post: (message: Sent) => void): void;
  onMessage(message: Received): void;
  /** Goes up for as long as it gets on. */
  progress(): number;
  /** Nobody answers this any more. */
  abandon(pending: Pending, reason: string): void;
  onError(error: unknown): void;
  readonly checkEveryMs: number;
  readonly stuckAfterMs: number;
  /** Until its first sign of life: on a busy machine, loading it takes seconds. */
  readonly startedWithinMs: number;
}): CalledThread<Sent, Pending> {
  const { name, checkEveryMs } = options;
  const stuck = createStuckDetector(checkEveryMs, options.stuckAfterMs);
  const notStarted = createStuckDetector(checkEveryMs, options.startedWithinMs);
  const pending = new Map<number, Pending>();
  let thread: ReturnType<typeof options.start> | null = null;
  let watch: ReturnType<typeof setInterval> | null = null;
  let calls = 0;
  let isStopped = false;

  function start(): ReturnType<typeof options.start> {
    stuck.reset();
    notStarted.reset();
    const started = options.start({
      onMessage(message) {
        if (started === thread) options.onMessage(message);
      },
      onFailure(reason) {
        if (started === thread) replace(`${name} ended: ${reason}`);
      },
    });
    options.greet?.(message => started.post(message));
    return started;
  }

  function check(): void {
    const progress = options.progress();
    const isStuck = progress === 0 ? notStarted.look(progress) : stuck.look(progress);
    if (isStuck) replace(`${name} stopped responding.`);
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

  function end(reason: string): void {
    thread?.end();
    thread = null;
    stopWatch();
    const abandoned = [...pending.values()];
    pending.clear();
    for (const one of abandoned) options.abandon(one, reason);
  }

  return {
    begin(one) {
      if (isStopped) {
        queueMicrotask(() => options.abandon(one, STOPPING));
        return 0;
      }
      watch ??= setInterval(check, checkEveryMs);
      pending.set(++calls, one);
      return calls;
    },
    post(message) {
      if (isStopped) return;
      thread ??= start();
      thread.post(message);
    },
    postIfStarted: message => thread?.post(message),
    peek: call => pending.get(call),
    take(call) {
      const one = pending.get(call);
      pending.delete(call);
      if (pending.size === 0) stopWatch();
      return one;
    },
    stop() {
      isStopped = true;
      end(STOPPING);
    },
  };
}
