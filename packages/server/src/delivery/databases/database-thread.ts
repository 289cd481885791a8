import { seconds } from '../../core/clock.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import { createStuckDetector } from '../../core/work/stuck.ts';
import type { LocatedDatabase, Used } from './pools.ts';
import type { DatabaseCall, DatabaseReply, Work, WorkName } from './protocol.ts';

/**
 * The outer end of the thread that talks to databases, and its watch. It is started by the first who needs it. One
 * that does not get on is ended, with whatever it did: all that was under way has failed, and the next use has
 * another.
 */
export interface DatabaseThread {
  /** Never rejects. */
  use<Name extends WorkName>(
    name: Name,
    ask: Work[Name]['ask'],
    database: LocatedDatabase,
    timeoutMs: number,
    /** Asked again where a connection had to be waited for, right before anything is written. */
    isStillWanted?: () => Promise<boolean>,
  ): Promise<Used<Work[Name]['answer']>>;
  /** Closes the connections to this database. */
  letGo(key: string): void;
  stop(): void;
}

export type StartDatabaseThread = (handlers: {
  onMessage(message: DatabaseReply): void;
  onFailure(reason: string): void;
}) => { post(message: DatabaseCall): void; end(): void };

interface Pending {
  resolve(result: Used<unknown>): void;
  readonly isStillWanted: (() => Promise<boolean>) | undefined;
}

const CHECK_EVERY_MS = 250;
const STUCK_AFTER_MS = seconds(3);
/** Until its first sign of life: on a busy machine, loading it takes seconds. */
const STARTED_WITHIN_MS = seconds(60);

const cut: OutgoingFailure = {
  code: 'bad_response',
  message: 'The connection was cut: a database kept the thread that reads it from getting on.',
};

export function createDatabaseThread(options: {
  readonly start: StartDatabaseThread;
  onError(error: unknown): void;
  readonly stuckAfterMs?: number;
  readonly startedWithinMs?: number;
}): DatabaseThread {
  const stuck = createStuckDetector(CHECK_EVERY_MS, options.stuckAfterMs ?? STUCK_AFTER_MS);
  const notStarted = createStuckDetector(CHECK_EVERY_MS, options.startedWithinMs ?? STARTED_WITHIN_MS);
  const pending = new Map<number, Pending>();
  let thread: ReturnType<StartDatabaseThread> | null = null;
  let beats = new Int32Array(new SharedArrayBuffer(4));
  let watch: ReturnType<typeof setInterval> | null = null;
  let calls = 0;

  function begin(): ReturnType<StartDatabaseThread> {
    beats = new Int32Array(new SharedArrayBuffer(4));
    stuck.reset();
    notStarted.reset();
    const started = options.start({
      onMessage(message) {
        if (started !== thread) return;
        const { call } = message;
        if (message.kind === 'ready') {
          void ask(call).then(isWanted => {
            if (started === thread) started.post({ kind: 'go', call, isWanted });
          });
          return;
        }
        pending.get(call)?.resolve(message.result);
        pending.delete(call);
        if (pending.size === 0) stopWatch();
      },
      onFailure(reason) {
        if (started === thread) replace(`The thread that talks to databases ended: ${reason}`);
      },
    });
    started.post({ kind: 'open', heartbeat: beats.buffer as SharedArrayBuffer });
    return started;
  }

  async function ask(call: number): Promise<boolean> {
    const { isStillWanted } = pending.get(call) ?? {};
    try {
      return isStillWanted === undefined || (await isStillWanted());
    } catch (error) {
      options.onError(error);
      return false;
    }
  }

  function check(): void {
    const beat = Atomics.load(beats, 0);
    const isStuck = beat === 0 ? notStarted.look(beat) : stuck.look(beat);
    if (isStuck) replace('The thread that talks to databases did not get on.');
  }

  function replace(problem: string): void {
    options.onError(new Error(problem));
    end();
  }

  function stopWatch(): void {
    if (watch !== null) clearInterval(watch);
    watch = null;
    stuck.reset();
  }

  function end(): void {
    thread?.end();
    thread = null;
    stopWatch();
    for (const { resolve } of pending.values()) resolve({ kind: 'failed', failure: cut, wasReached: true });
    pending.clear();
  }

  return {
    use(name, ask, database, timeoutMs, isStillWanted) {
      thread ??= begin();
      watch ??= setInterval(check, CHECK_EVERY_MS);
      const call = ++calls;
      const asked = { kind: 'work', call, name, ask, database, timeoutMs } as const;
      const { promise, resolve } = Promise.withResolvers<Used<Work[typeof name]['answer']>>();
      pending.set(call, { resolve: resolve as Pending['resolve'], isStillWanted });
      thread.post(asked);
      return promise;
    },
    letGo: key => thread?.post({ kind: 'let_go', key }),
    stop: end,
  };
}
