import { createLabelCache, type LabelStore } from './label-cache.ts';
import { definePort } from './port.ts';

/** The port of labels that models gave before. */
export const labelsPort = definePort<LabelStore, LabelStore>({
  connect: ({ call }) => ({
    claimLabel: (...args) => call('claimLabel', ...args),
    keepLabel: (...args) => call('keepLabel', ...args),
    releaseLabel: (...args) => call('releaseLabel', ...args),
  }),
  serve({ eventQueue, clock, newToken }) {
    const cache = createLabelCache(eventQueue, clock, newToken);
    return { calls: cache, flush: cache.flush, release: cache.releaseClaims };
  },
  /** Neither asked nor filled. */
  forDryRun: () => ({
    claimLabel: async () => ({ kind: 'claimed' }),
    keepLabel: async () => {},
    releaseLabel: async () => {},
  }),
});
