/** Calls that are under way, by what they ask: who asks the same meanwhile waits for the same answer. */
export interface SharedCalls {
  /** `isShared`: whether somebody else's call was joined. */
  join<T>(key: string, call: () => Promise<T>): Promise<{ readonly answer: T; readonly isShared: boolean }>;
}

/** Whoever joins a call waits, and says so. */
export function createSharedCalls(onWait: () => void = () => {}): SharedCalls {
  const underWay = new Map<string, Promise<unknown>>();
  return {
    async join<T>(key: string, call: () => Promise<T>) {
      const joined = underWay.get(key) as Promise<T> | undefined;
      if (joined !== undefined) {
        onWait();
        return { answer: await joined, isShared: true };
      }
      const own = call().finally(() => underWay.delete(key));
      underWay.set(key, own);
      return { answer: await own, isShared: false };
    },
  };
}
