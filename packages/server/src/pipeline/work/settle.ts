import { type FailedTry, UNKNOWN_PIPELINE } from '../../core/event/outcome.ts';
import { newId } from '../../core/ids.ts';
import type {
  ClaimedEvent,
  PlannedRun,
  SettledRun,
  Settlement,
  SettleResult,
} from '../../core/stores/event-queue.ts';
import type { LoadedPipeline, NamedSource } from '../definitions/definitions.ts';
import type { RunReport } from '../thread/protocol.ts';
import { cutTrace, withTries } from '../thread/trace.ts';

/** Settlements: what is written of an event, made from how its runs ended. */

/** A run that ended, and what it was. */
export interface EndedRun {
  readonly pipeline: Pick<LoadedPipeline, 'id' | 'name' | 'version'>;
  readonly planned: PlannedRun;
  readonly sourceName: string | null;
  readonly report: RunReport;
}

const UNAVAILABLE_RETRY_MS = 1_000;

/** What is to be written of an event whose runs have all ended, one way or another. */
export function settlementOf(
  claimed: ClaimedEvent,
  runs: readonly EndedRun[],
  options: {
    readonly sources: readonly NamedSource[];
    readonly notDue: readonly PlannedRun[];
    readonly now: number;
  },
): Settlement {
  const { now } = options;
  const retryOf = new Set(claimed.plan?.flatMap(planned => planned.retryOf ?? []));
  return {
    orgId: claimed.orgId,
    eventId: claimed.event.id,
    jobId: claimed.jobId,
    token: claimed.token,
    ...(claimed.isBornClaimed ? { isBornClaimed: true as const } : {}),
    round: claimed.jobId === null && claimed.plan === null ? 'first' : 'later',
    runs: runs.flatMap(run => settledRun(run, claimed.payload, now)),
    parked: [...options.notDue, ...runs.flatMap(run => parkedRun(run, now))],
    ...(retryOf.size > 0 ? { retryOf: [...retryOf] } : {}),
    matchedSources: claimed.sourceId === null ? options.sources : null,
    tallies: runs.flatMap(({ pipeline, report }) =>
      report.tallies.map(({ tally, step }) => ({
        pipelineId: pipeline.id,
        version: pipeline.version,
        step,
        tally,
        count: 1,
      })),
    ),
  };
}

function settledRun(run: EndedRun, payload: string, now: number): SettledRun[] {
  const { pipeline, sourceName, report } = run;
  if (report.kind !== 'settled') return [];
  const { outcome, step, reason, trace, output, notes, claims, destinations, durations } = report;
  return [
    {
      id: newId('run', now),
      pipelineId: pipeline.id,
      pipelineName: pipeline.name,
      version: pipeline.version,
      sourceName,
      outcome,
      step,
      reason,
      trace: withTries(trace, triesOf(run.planned, report, now)),
      output,
      payload,
      notes,
      claims,
      destinations,
      durations,
    },
  ];
}

/** The tries before this one; and this one too, where it failed after all and somebody had answered. */
function triesOf(
  { stopped }: PlannedRun,
  { outcome, reason, said }: Extract<RunReport, { kind: 'settled' }>,
  now: number,
): readonly FailedTry[] {
  const before = stopped?.tries ?? [];
  const isTold = outcome === 'failed' && (said !== undefined || before.length > 0);
  return isTold ? [...before, { at: now, reason: reason ?? '', said: said ?? null }] : before;
}

function parkedRun({ pipeline, planned, report }: EndedRun, now: number): PlannedRun[] {
  switch (report.kind) {
    case 'settled':
      return [];
    case 'retry':
      return [
        {
          ...planned,
          retries: planned.retries + 1,
          dueAt: now + report.afterMs,
          stopped: {
            pipelineName: pipeline.name,
            version: pipeline.version,
            step: report.step,
            trace: report.trace,
            tries: [...(planned.stopped?.tries ?? []), { at: now, reason: report.reason, said: report.said }],
          },
        },
      ];
    case 'unavailable':
      return [{ ...planned, dueAt: now + UNAVAILABLE_RETRY_MS }];
  }
}

/** The same settlement without what nobody needs any more. */
export function withoutNeedless(
  settlement: Settlement,
  { pipelineIds }: Extract<SettleResult, { kind: 'needless' }>,
): Settlement {
  // What retries all pipelines retries nothing else.
  const isNeeded = ({ pipelineId }: { pipelineId: string }) =>
    !pipelineIds.includes(UNKNOWN_PIPELINE) && !pipelineIds.includes(pipelineId);
  return {
    ...settlement,
    runs: settlement.runs.filter(isNeeded),
    parked: settlement.parked.filter(isNeeded),
    retryOf: settlement.retryOf?.filter(id => !pipelineIds.includes(id)) ?? [],
  };
}

/** The same settlement with the run that lost its key dropped by the step that wanted it. */
export function withoutLost(
  settlement: Settlement,
  { pipelineId, step, first }: Extract<SettleResult, { kind: 'lost' }>,
): Settlement {
  const reason = `The key was seen before, in ${first}`;
  return {
    ...settlement,
    runs: settlement.runs.map(run =>
      run.pipelineId === pipelineId
        ? {
            ...run,
            outcome: 'dropped',
            step,
            reason,
            trace: cutTrace(run.trace, step, reason),
            output: '',
            notes: [],
            claims: run.claims.filter(claim => claim.step < step),
            destinations: [],
            // That of the whole run stands before them, and it came no further than this step.
            durations: run.durations?.slice(0, step + 2) ?? '',
          }
        : run,
    ),
  };
}
