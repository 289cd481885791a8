import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { createTokenBucket, type TokenBucket } from '../core/work/token-bucket.ts';

/** The rate limiter of webhook sources: a token bucket for each, whose capacity is the source's burst. */
export interface RateLimiter {
  /** 0: go on. Otherwise the whole seconds, at least 1, after which there is room again. */
  spend(sourceId: string, rate: SourceRate): number;
  /** With several nodes each one enforces its share. */
  setNodes(count: number): void;
}

/** 0 a second is unlimited. */
interface SourceRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A source that was not used for longest begins again with a full bucket, which after a rest it would have had. */
const MOST_BUCKETS = 50_000;

export function createRateLimiter(clock: Clock, most: number = MOST_BUCKETS): RateLimiter {
  const buckets = new LRUCache<string, SourceRate & { readonly bucket: TokenBucket }>({ max: most });
  let sharedBy = 1;
  const nodes = () => sharedBy;

  function bucketOf(sourceId: string, { perSecond, burst }: SourceRate): TokenBucket {
    const known = buckets.get(sourceId);
    if (known?.perSecond === perSecond && known.burst === burst) return known.bucket;
    const bucket = createTokenBucket({ perSecond, capacity: burst, clock, nodes });
    buckets.set(sourceId, { perSecond, burst, bucket });
    return bucket;
  }

  return {
    setNodes(count) {
      sharedBy = Math.max(1, count);
    },
    spend(sourceId, rate) {
      if (rate.perSecond === 0) return 0;
      return Math.ceil(bucketOf(sourceId, rate).spend() / 1_000);
    },
  };
}
