import type { StepPorts } from '../step.ts';

/**
 * The ports of a run that leaves nothing behind. Dedupe may look, since the keys that a run claims count only once
 * it is settled; the cache is neither asked nor filled, and a model is asked only where somebody said so.
 */
export const dryRunPorts = (ports: StepPorts, options: { readonly classify: boolean }): StepPorts => ({
  ...ports,
  model: options.classify ? ports.model : null,
  cache: {
    claimLabel: async () => ({ kind: 'claimed' }),
    keepLabel: async () => {},
    releaseLabel: async () => {},
  },
  calls: {
    join: async (_key, call) => ({ answer: await call(), isShared: false }),
  },
});
