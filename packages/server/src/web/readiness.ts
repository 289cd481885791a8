import { Problem } from '../core/errors.ts';

/**
 * Readiness: whether this process should get requests. A process that stops, or whose pipelines cannot run, answers
 * `/readyz` with the reason, so that a load balancer sends events elsewhere.
 */
export const createReadiness =
  (process: {
    isDraining(): boolean;
    /** Why pipelines cannot run here; null where they can. */
    pipelineProblem(): string | null;
    /** Rejects with the reason while storage cannot be written. */
    checkWritable(): Promise<void>;
  }) =>
  async (): Promise<void> => {
    if (process.isDraining()) throw notReady('This process is stopping.');
    const problem = process.pipelineProblem();
    if (problem !== null) throw notReady(problem);
    await process.checkWritable();
  };

const notReady = (message: string) => new Problem('storage_unavailable', { message, retryAfter: 1 });

/** Whoever asks while a check is under way shares it: each is a write, and anybody may ask. */
export function shareChecks(check: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  return () => {
    underWay ??= check().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
