import type { ThreadSide } from '../ports/port.ts';
import type { PortName } from '../ports/registry.ts';
import type { PortCall } from '../ports/serve.ts';

/** The link of a thread to the main thread: the calls of its ports, and who waits for their answers. */
interface ThreadLink {
  sideOf(port: PortName): Pick<ThreadSide<Record<never, never>>, 'call' | 'announceWait'>;
  resolve(call: number, answer: unknown): void;
  reject(call: number, error: Error): void;
  /** Resolves when somebody next has to wait for an answer. */
  nextWait(): Promise<void>;
}

export function createThreadLink(post: (call: number, asked: PortCall) => void): ThreadLink {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  let someoneWaits = Promise.withResolvers<void>();

  function announceWait(): void {
    someoneWaits.resolve();
    someoneWaits = Promise.withResolvers();
  }

  function ask(asked: PortCall): Promise<unknown> {
    const call = ++last;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(call, answer);
    post(call, asked);
    announceWait();
    return answer.promise;
  }

  return {
    sideOf: port => ({
      call: (name: string, ...args: readonly unknown[]) => ask({ port, name, args }) as never,
      announceWait,
    }),
    resolve(call, answer) {
      waiting.get(call)?.resolve(answer);
      waiting.delete(call);
    },
    reject(call, error) {
      waiting.get(call)?.reject(error);
      waiting.delete(call);
    },
    nextWait: () => someoneWaits.promise,
  };
}
