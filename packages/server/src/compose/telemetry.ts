import { VERSION } from '../core/version.ts';
import { type CountKeeper, createCountKeeper } from '../telemetry/counters.ts';
import { createLastErrors, type LastErrors } from '../telemetry/last-errors.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { createWaitingCounts } from '../telemetry/waiting.ts';
import type { Foundation } from './foundation.ts';
import type { StoragePart } from './storage.ts';

/** What the service counts of itself: for charts by the minute, and for Prometheus. */
export interface TelemetryPart {
  readonly counts: CountKeeper;
  readonly lastErrors: LastErrors;
  readonly metrics: Metrics;
  /** Writes what was counted since the last time. */
  stop(): Promise<void>;
}

export function composeTelemetry(
  { clock }: Foundation,
  { engine }: StoragePart,
  /** Requests that wait for a commit. */
  waiting: () => number,
  /** As which node this process counts; null while it is none. */
  self: () => string | null,
): TelemetryPart {
  const counts = createCountKeeper(engine.counters, clock, self);
  const lastErrors = createLastErrors(engine.configuration);
  const countWaiting = createWaitingCounts(engine.counters, clock);
  return {
    counts,
    lastErrors,
    metrics: createMetrics({ waiting, countWaiting, version: VERSION }),
    async stop() {
      await counts.flush(true);
      await lastErrors.flush();
    },
  };
}
