import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import type { CounterStore } from '../../../core/stores/counters.ts';
import type { StorageSize } from '../../../core/stores/engine.ts';
import type { OperatorOrganisation } from '../access/operator.ts';
import type { Calls } from '../calls.ts';

/** What a process knows of itself and of its storage. */
export interface ServiceHealth {
  readonly version: string;
  readonly startedAt: number;
  readonly roles: readonly string[];
  nodes(): number;
  measure(): Promise<StorageSize>;
  /** Rejects with the reason while nothing can be written. */
  checkWritable(): Promise<void>;
}

/** How the service is. Nothing here says anything of other organisations but the size of what all of them share. */
export function healthCalls(
  calls: Calls,
  {
    counters,
    clock,
    health,
    operator,
  }: {
    readonly counters: Pick<CounterStore, 'countBacklog'>;
    readonly clock: Clock;
    readonly health: ServiceHealth;
    readonly operator: OperatorOrganisation;
  },
): void {
  const whyNotWritable = async (): Promise<string | null> => {
    try {
      await health.checkWritable();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : 'Storage cannot be written.';
    }
  };

  calls.on('GET /health', 'read', async call => {
    const [problem, { engine, bytes, freeBytes }, backlog, isOperator] = await Promise.all([
      whyNotWritable(),
      health.measure(),
      counters.countBacklog(call.session.orgId, MOST_COUNTED),
      operator.isOf(call.session.orgId),
    ]);
    const { accepted, pending, retrying, held } = backlog;
    return call.answer({
      version: health.version,
      started_at: toRfc3339(health.startedAt),
      uptime_s: Math.max(0, Math.floor((clock.now() - health.startedAt) / 1_000)),
      storage: { engine, bytes, free_bytes: freeBytes, can_write: problem === null, problem },
      nodes: health.nodes(),
      shows_nodes: isOperator,
      roles: [...health.roles],
      backlog: { accepted, pending, retrying, held },
    });
  });
}
