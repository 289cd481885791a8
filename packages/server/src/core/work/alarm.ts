/** What wakes a loop before its time. Every ring counts, also one before the sleep. */
export interface Alarm {
  ring(): void;
  /** The rings so far are answered by what comes next: they cut no sleep short. */
  reset(): void;
  /** Until it rings, or the time is up. */
  sleep(ms: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let wake: () => void = () => {};
  let hasRung = false;
  return {
    ring() {
      hasRung = true;
      wake();
    },
    reset() {
      hasRung = false;
    },
    async sleep(ms) {
      if (!hasRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
      }
      hasRung = false;
    },
  };
}
