import type { Clock } from '../core/clock.ts';

/** A token bucket per source: `perSecond` flow in, at most `burst` stand ready. 0 is unlimited. */
export interface RateLimiter {
  /** 0: go on. Otherwise the whole seconds, at least 1, after which there is room again. */
  spend(sourceId: string, rate: { perSecond: number; burst: number }): number;
  /** With several nodes each one enforces its share. */
  setNodes(count: number): void;
}

export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  let nodes = 1;
  return {
    setNodes(count) {
      nodes = Math.max(1, count);
    },
    spend(sourceId, { perSecond, burst }) {
      if (perSecond === 0) return 0;
      const rate = perSecond / nodes;
      const room = Math.max(1, burst / nodes);
      const now = clock.now();
      const bucket = buckets.get(sourceId);
      if (!bucket) {
        buckets.set(sourceId, { tokens: room - 1, at: now });
        return 0;
      }
      // A clock that was set back must not freeze the bucket: no time has passed, and it counts on from now.
      const passed = Math.max(0, now - bucket.at) / 1_000;
      bucket.tokens = Math.min(room, bucket.tokens + passed * rate);
      bucket.at = now;
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return 0;
      }
      return Math.max(1, Math.ceil((1 - bucket.tokens) / rate));
    },
  };
}
