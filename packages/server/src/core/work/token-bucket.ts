import type { Clock } from '../clock.ts';

/** A token bucket: one second's worth may go out at once. */
export interface Rate {
  /** 0: go on, a token is spent. Otherwise the milliseconds until there is one. */
  spend(): number;
  /** How many may go out within this time, at the most. */
  within(ms: number): number;
}

export function createRate(
  perSecond: number,
  { clock, nodes }: { readonly clock: Clock; readonly nodes: () => number },
): Rate {
  if (perSecond === 0) return { spend: () => 0, within: () => Number.POSITIVE_INFINITY };
  let tokens = Math.max(1, perSecond);
  let at = clock.now();
  return {
    spend() {
      const share = perSecond / nodes();
      const now = clock.now();
      tokens = Math.min(Math.max(1, share), tokens + (Math.max(0, now - at) / 1_000) * share);
      at = now;
      if (tokens < 1) return Math.ceil(((1 - tokens) / share) * 1_000);
      tokens -= 1;
      return 0;
    },
    within: ms => Math.max(1, Math.ceil((perSecond / nodes()) * (ms / 1_000))),
  };
}
