/** Work that owners queue up, each in a queue of its own: one piece of each is under way at a time, beside others'. */
interface OwnerQueues {
  /** Throws where the owner has too many queued already. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

export function createOwnerQueues(options: {
  /** So many of one owner may wait or be under way. */
  readonly mostOfOne: number;
  refusal(): Error;
}): OwnerQueues {
  const queues = new Map<string, { count: number; last: Promise<unknown> }>();
  return {
    async run(owner, work) {
      const queue = queues.get(owner) ?? { count: 0, last: Promise.resolve() };
      if (queue.count >= options.mostOfOne) throw options.refusal();
      queues.set(owner, queue);
      queue.count++;
      const done = queue.last.then(work);
      queue.last = done.catch(() => {});
      try {
        return await done;
      } finally {
        if (--queue.count === 0) queues.delete(owner);
      }
    },
  };
}
