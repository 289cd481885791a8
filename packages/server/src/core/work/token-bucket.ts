import type { Clock } from '../clock.ts';

/** A token bucket: a rate at which something may happen, and how much of it at once after a rest. */
export interface TokenBucket {
  /** 0: a token is spent, go on. Otherwise the whole milliseconds until there is one. */
  spend(now?: number): number;
  /** How many tokens flow in within this time; at least one. */
  within(ms: number): number;
}

export interface TokenBucketOptions {
  /** The tokens that flow in, all nodes together; 0 is no limit. */
  readonly perSecond: number;
  /** The most that gather while none are spent, all nodes together. The bucket begins full. */
  readonly capacity: number;
  readonly clock: Clock;
  /** How many nodes share the rate, asked each time: every node has its part of it. Absent: this one alone. */
  readonly nodes?: () => number;
}

const UNLIMITED: TokenBucket = { spend: () => 0, within: () => Number.POSITIVE_INFINITY };

export function createTokenBucket(options: TokenBucketOptions): TokenBucket {
  const { perSecond, capacity, clock, nodes = () => 1 } = options;
  if (perSecond === 0) return UNLIMITED;
  let tokens = Math.max(1, capacity);
  let at = clock.now();
  return {
    spend(now = clock.now()) {
      const sharedBy = nodes();
      const rate = perSecond / sharedBy;
      // A clock that was set back must not freeze the bucket: no time has passed, and it counts on from now.
      const gained = (Math.max(0, now - at) / 1_000) * rate;
      // A share of less than one would never let anything through.
      tokens = Math.min(Math.max(1, capacity / sharedBy), tokens + gained);
      at = now;
      if (tokens < 1) return Math.ceil(((1 - tokens) / rate) * 1_000);
      tokens -= 1;
      return 0;
    },
    within: ms => Math.max(1, Math.ceil((perSecond / nodes()) * (ms / 1_000))),
  };
}
