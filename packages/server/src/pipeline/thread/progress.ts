import { progressFields } from './protocol.ts';

/** The progress of a thread: what it is at. Kept in shared memory, since it can post nothing while it works. */
export interface Progress {
  /** It works on this step of this run now. */
  at(run: number, step: number): void;
  live(): void;
}

export function createProgress(shared: Int32Array): Progress {
  const live = () => void Atomics.add(shared, progressFields.count, 1);
  return {
    at(run, step) {
      Atomics.store(shared, progressFields.run, run);
      Atomics.store(shared, progressFields.step, step);
      live();
    },
    live,
  };
}
