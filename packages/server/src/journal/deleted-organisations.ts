import type { Clock } from '../core/clock.ts';
import type { Storage } from '../core/ports.ts';

const SLICE = 250;

/** One round of removing what deleted organisations left behind, in small slices with a pause after each. */
export const createRemoval =
  (options: {
    readonly storage: Pick<Storage, 'pruneDeleted'>;
    readonly clock: Clock;
    /** Lets others at storage between two slices. */
    pause(): Promise<void>;
    isStopping(): boolean;
  }): (() => Promise<void>) =>
  async () => {
    const { storage, clock, pause, isStopping } = options;
    while (!isStopping() && (await storage.pruneDeleted(clock.now(), SLICE)) > 0) await pause();
  };
