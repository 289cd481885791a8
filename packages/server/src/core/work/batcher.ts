import { setTimeout as sleep } from 'node:timers/promises';
import { isStorageAway } from '../errors.ts';

/**
 * Group commit: items that come while a write is under way are written together after it, so that one transaction
 * and one flush of the disk serve all of them. Each is answered by itself, once it is written and not before.
 *
 * | Rule | What it says |
 * |---|---|
 * | (always) | a batch goes after this turn of the event loop: everything that came within it shares the write |
 * | `atOnce` | so many writes are under way at a time; what comes meanwhile waits |
 * | `whileBusy` | beside another write goes `any batch`, which is the default, or only a `full batch` |
 * | `weigh`, `most` | a batch that weighs so much is full and takes nothing more; by default an item weighs 1 and none is full |
 * | `room` | what is not answered yet takes so many bytes at most; what does not fit beside it is refused with a throw |
 * | `patience` | what is not answered after so long is rejected; what no write has begun for is not written any more |
 * | `whenAway` | storage is away: `reject` all, or write the same again after a pause, up to `mostTries` and until `hurry` |
 * | `whenRefused` | any other error: `reject` all, or write again `each alone` or in `halves`, until the culprit is rejected alone |
 * | `onError` | is called with each error that was not waited out |
 * | `onEnded` | is called with each batch once all of it is answered; whatever it does, nothing is written again for it |
 * | `drained` | resolves when nothing waits and nothing is under way |
 */
interface Batcher<Item, Result> {
  /** Throws where there is no room. */
  add(item: Item): Promise<Result>;
  /** Items that no write has begun for. */
  waiting(): number;
  drained(): Promise<void>;
  /** From now on storage that is away is not waited for. */
  hurry(): void;
}

export interface BatcherOptions<Item, Result> {
  /** Answers a result for each item, in their order. */
  write(items: readonly Item[]): Promise<readonly Result[]>;
  weigh?(item: Item): number;
  readonly most?: number;
  readonly atOnce: number;
  readonly whileBusy?: 'any batch' | 'full batch';
  readonly room?: { readonly bytes: number; sizeOf(item: Item): number; refusal(): Error };
  readonly patience?: { readonly ms: number; refusal(isBegun: boolean): Error };
  readonly whenAway:
    | 'reject'
    | { readonly retryMs: number; readonly mostTries?: number; pause?(ms: number): Promise<void> };
  readonly whenRefused: 'reject' | 'each alone' | 'halves';
  onError?(error: unknown): void;
  /** Where there is no result, the item was rejected. */
  onEnded?(items: readonly Item[], results: readonly (Result | undefined)[], ms: number): void;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  /** The tick of the clock that patience is measured by. */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const one = () => 1;

/** By so many ticks is patience measured: one timer for all that wait, in place of one for each. */
const TICKS = 16;

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  type Batch = readonly Entry<Item, Result>[];
  type Results = readonly (Result | undefined)[];
  const {
    weigh = one,
    most = Number.POSITIVE_INFINITY,
    atOnce,
    room,
    patience,
    whenAway,
    whenRefused,
  } = options;
  const {
    retryMs = 0,
    mostTries = Number.POSITIVE_INFINITY,
    pause = sleep,
  } = whenAway === 'reject' ? {} : whenAway;
  const isFullOnly = options.whileBusy === 'full batch';
  let queue: Entry<Item, Result>[] = [];
  let weightWaiting = 0;
  let bytesHeld = 0;
  let writing = 0;
  let isScheduled = false;
  let isHurrying = false;
  let ticks = 0;
  let clock: NodeJS.Timeout | null = null;
  const underWay = new Set<Batch>();
  const onDrained: (() => void)[] = [];

  const isIdle = () => writing === 0 && queue.length === 0;
  const mayTryAgain = (tries: number) => whenAway !== 'reject' && tries < mostTries && !isHurrying;

  function schedule(): void {
    if (isScheduled || queue.length === 0 || writing >= atOnce) return;
    if (isFullOnly && writing > 0 && weightWaiting < most) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      void run(takeBatch());
      schedule();
    });
  }

  function takeBatch(): Batch {
    let weight = 0;
    let count = 0;
    for (const { item } of queue) {
      if (weight >= most) break;
      weight += weigh(item);
      count++;
    }
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    weightWaiting -= weight;
    return batch;
  }

  function tick({ refusal }: NonNullable<typeof patience>): void {
    ticks++;
    const overdue = ticks - TICKS;
    let count = 0;
    for (const entry of queue) {
      if (entry.since >= overdue) break;
      count++;
      weightWaiting -= weigh(entry.item);
      bytesHeld -= entry.bytes;
      entry.reject(refusal(false));
    }
    if (count > 0) queue = queue.slice(count);
    for (const batch of underWay) {
      for (const { since, reject } of batch) if (since < overdue) reject(refusal(true));
    }
    if (!isIdle() || clock === null) return;
    clearInterval(clock);
    clock = null;
  }

  function watch(rule: NonNullable<typeof patience>): void {
    if (clock !== null) return;
    clock = setInterval(tick, rule.ms / TICKS, rule);
    clock.unref();
  }

  async function run(batch: Batch): Promise<void> {
    const started = performance.now();
    const items = batch.map(({ item }) => item);
    let results: Results;
    writing++;
    underWay.add(batch);
    try {
      results = resolve(batch, await options.write(items));
    } catch (error) {
      results = await recover(batch, items, error);
    }
    writing--;
    underWay.delete(batch);
    schedule();
    if (isIdle()) for (const resolve of onDrained.splice(0)) resolve();
    options.onEnded?.(items, results, performance.now() - started);
  }

  function resolve(batch: Batch, results: readonly Result[]): Results {
    for (const [i, entry] of batch.entries()) {
      bytesHeld -= entry.bytes;
      entry.resolve(results[i] as Result);
    }
    return results;
  }

  function reject(batch: Batch, error: unknown): Results {
    for (const entry of batch) {
      bytesHeld -= entry.bytes;
      entry.reject(error);
    }
    return batch.map(() => undefined);
  }

  /** After a write that failed. Whatever comes of it, every item is answered when it returns. */
  async function recover(batch: Batch, items: readonly Item[], failure: unknown): Promise<Results> {
    let error = failure;
    for (let tries = 1; isStorageAway(error) && mayTryAgain(tries); tries++) {
      await pause(retryMs);
      try {
        return resolve(batch, await options.write(items));
      } catch (again) {
        error = again;
      }
    }
    options.onError?.(error);
    const isWhole = whenRefused === 'reject' || batch.length === 1 || isStorageAway(error);
    return isWhole ? reject(batch, error) : writeParts(batch);
  }

  /** One item that storage cannot take must not cost its neighbours their answer. */
  async function writeParts(batch: Batch): Promise<Results> {
    const size = whenRefused === 'halves' ? Math.ceil(batch.length / 2) : 1;
    let results: Results = [];
    for (let from = 0; from < batch.length; from += size) {
      const part = batch.slice(from, from + size);
      const items = part.map(({ item }) => item);
      try {
        results = results.concat(resolve(part, await options.write(items)));
      } catch (error) {
        results = results.concat(await recover(part, items, error));
      }
    }
    return results;
  }

  return {
    add(item) {
      const bytes = room === undefined ? 0 : room.sizeOf(item);
      if (room !== undefined && bytesHeld > 0 && bytesHeld + bytes > room.bytes) throw room.refusal();
      bytesHeld += bytes;
      weightWaiting += weigh(item);
      if (patience !== undefined) watch(patience);
      return new Promise((resolve, reject) => {
        queue.push({ item, bytes, since: ticks, resolve, reject });
        schedule();
      });
    },
    waiting: () => queue.length,
    drained: () => (isIdle() ? Promise.resolve() : new Promise(resolve => onDrained.push(resolve))),
    hurry() {
      isHurrying = true;
    },
  };
}
