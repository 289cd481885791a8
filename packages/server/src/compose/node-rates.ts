import type { NodeRates } from '../core/stores/upkeep.ts';

/** What this node gets done in a second, from how much it has done since it started. */
interface NodeRateMeter {
  /** Of the time since it was measured before. */
  measure(): NodeRates;
  /** As it was measured last. */
  last(): NodeRates;
}

export function createNodeRateMeter(totals: () => NodeRates, now: () => number): NodeRateMeter {
  let [at, before] = [now(), totals()];
  let rates: NodeRates = { accepted: 0, processed: 0, delivered: 0 };
  return {
    last: () => rates,
    measure() {
      const [time, done] = [now(), totals()];
      const perSecond = (what: keyof NodeRates) => ((done[what] - before[what]) * 1_000) / (time - at);
      if (time > at) {
        rates = {
          accepted: perSecond('accepted'),
          processed: perSecond('processed'),
          delivered: perSecond('delivered'),
        };
      }
      [at, before] = [time, done];
      return rates;
    },
  };
}
