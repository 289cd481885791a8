import { Problem } from '../../core/errors.ts';
import type { AppendRequest, AppendResult } from '../../core/stores/journal.ts';
import { threadScript } from '../../core/threads/script.ts';
import {
  allResults,
  type Call,
  type Failure,
  type PackedAppend,
  packAppend,
  type Reply,
  type UncommonResults,
} from './protocol.ts';

/** The main thread's end of a storage thread: a call goes over, its promise settles when the reply comes back. */
export class StorageThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;

  private constructor(
    worker: Worker,
    private readonly onFatal: (reason: string) => void,
  ) {
    this.#worker = worker;
  }

  static open(script: URL, file: string, onFatal: (reason: string) => void): Promise<StorageThread> {
    const worker = new Worker(threadScript(script));
    const thread = new StorageThread(worker, onFatal);
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data === 'started') worker.postMessage({ file });
        if (data !== 'ready') return;
        worker.onmessage = event => thread.#settle(event.data as Reply);
        worker.onerror = event => onFatal(`A storage thread stopped: ${event.message}`);
        resolve(thread);
      };
      worker.onerror = event => reject(new Error(event.message));
    });
  }

  call(name: Call['name'], args: readonly unknown[]): Promise<unknown> {
    return this.#send(id => ({ id, name, args }));
  }

  async append(requests: readonly AppendRequest[]): Promise<AppendResult[]> {
    const uncommon = await this.#send(id => packAppend(id, requests));
    return allResults(requests, uncommon as UncommonResults);
  }

  #send(message: (id: number) => Call | PackedAppend): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage(message(id));
    });
  }

  async close(): Promise<void> {
    await this.call('close', []);
    // Its connection closes with it, and until then holds the file.
    const ended = new Promise(resolve => this.#worker.addEventListener('close', resolve, { once: true }));
    this.#worker.terminate();
    await ended;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('failure' in reply) {
      waiting?.reject(toError(reply.failure));
      if (reply.failure.kind === 'fatal') this.onFatal(reply.failure.message);
    } else {
      waiting?.resolve(reply.result);
    }
  }
}

function toError(failure: Failure): Error {
  if (failure.kind === 'full') {
    return new Problem('storage_unavailable', { message: failure.message, retryAfter: 5 });
  }
  if (failure.kind === 'fatal') return new Problem('storage_unavailable', { retryAfter: 5 });
  return new Error(failure.message);
}
