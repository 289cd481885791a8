import { seconds } from '../../core/clock.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import { createCalledThread, type StartCalledThread } from '../../core/threads/called-thread.ts';
import type { LocatedDatabase, Used } from './pools.ts';
import type { DatabaseCall, DatabaseReply, Work, WorkName } from './protocol.ts';

/** The outer end of the thread that talks to databases. Where that is replaced, all that was under way has failed. */
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

interface Pending {
  resolve(result: Used<unknown>): void;
  readonly isStillWanted: (() => Promise<boolean>) | undefined;
}

const CHECK_EVERY_MS = 250;
const STUCK_AFTER_MS = seconds(3);
const STARTED_WITHIN_MS = seconds(60);

const cut: OutgoingFailure = {
  code: 'bad_response',
  message: 'The connection was cut: a database blocked the thread that reads it.',
};

export function createDatabaseThread(options: {
  readonly start: StartCalledThread<DatabaseCall, DatabaseReply>;
  onError(error: unknown): void;
  readonly stuckAfterMs?: number;
  readonly startedWithinMs?: number;
}): DatabaseThread {
  const { start, onError, stuckAfterMs = STUCK_AFTER_MS, startedWithinMs = STARTED_WITHIN_MS } = options;
  let beats = new Int32Array(new SharedArrayBuffer(4));
  const thread = createCalledThread<DatabaseCall, DatabaseReply, Pending>({
    start,
    name: 'The thread that talks to databases',
    greet(post) {
      beats = new Int32Array(new SharedArrayBuffer(4));
      post({ kind: 'open', heartbeat: beats.buffer as SharedArrayBuffer });
    },
    onMessage(message) {
      const { call } = message;
      if (message.kind === 'done') return thread.take(call)?.resolve(message.result);
      const asked = thread.peek(call);
      void isWanted(asked).then(isWanted => {
        if (thread.peek(call) === asked) thread.postIfStarted({ kind: 'go', call, isWanted });
      });
    },
    progress: () => Atomics.load(beats, 0),
    abandon: ({ resolve }) => resolve({ kind: 'failed', failure: cut, wasReached: true }),
    onError,
    checkEveryMs: CHECK_EVERY_MS,
    stuckAfterMs,
    startedWithinMs,
  });

  async function isWanted(asked: Pending | undefined): Promise<boolean> {
    try {
      return asked?.isStillWanted === undefined || (await asked.isStillWanted());
    } catch (error) {
      onError(error);
      return false;
    }
  }

  return {
    use(name, ask, database, timeoutMs, isStillWanted) {
      const { promise, resolve } = Promise.withResolvers<Used<Work[typeof name]['answer']>>();
      const call = thread.begin({ resolve: resolve as Pending['resolve'], isStillWanted });
      thread.post({ kind: 'work', call, name, ask, database, timeoutMs });
      return promise;
    },
    letGo: key => thread.postIfStarted({ kind: 'let_go', key }),
    stop: thread.stop,
  };
}
