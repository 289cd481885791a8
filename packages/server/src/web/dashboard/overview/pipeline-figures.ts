import type { PipelineDefinition } from '@sluice/contract';
import { chartWindow } from '@sluice/contract/chart-window';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { tallies } from '../../../core/event/outcome.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { type CounterStore, STEP_DROPPED, stepOf } from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { latencyNames } from '../../../core/stores/latency.ts';
import type { Calls } from '../calls.ts';
import { percentileOf, totalsOf, wholeOf } from './counter-windows.ts';
import { failedInSteps } from './failed-figures.ts';
import { runNames } from './list-figures.ts';

/** What became of the events of one pipeline, and at which of its steps. */
export function pipelineFigureCalls(
  calls: Calls,
  {
    configuration,
    counters,
    deliveryQueue,
    clock,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'findPipeline' | 'findPipelineVersion'>;
    readonly counters: Pick<CounterStore, 'readCounters'>;
    readonly deliveryQueue: Pick<DeliveryQueue, 'countFailedInEach'>;
    readonly clock: Clock;
  },
): void {
  calls.on('GET /pipelines/:id/figures', 'read', async call => {
    const { orgId } = call.session;
    const pipeline = await configuration.findPipeline(orgId, call.param('id'));
    if (pipeline === null) throw new Problem('not_found');
    const { id, version, definition } = pipeline;
    const { steps } = JSON.parse(definition) as Pick<PipelineDefinition, 'steps'>;
    const subjects = steps.map((_, place) => stepOf(id, version, place));
    const whole = wholeOf(chartWindow(call.query().minutes, clock.now()));
    const [present, failed, ofPipeline, ofSteps] = await Promise.all([
      configuration.findPipelineVersion(orgId, id, version),
      failedInSteps(deliveryQueue, orgId, whole, { id, version, steps: steps.length }),
      counters.readCounters(orgId, [id], [...runNames, ...tallies, ...latencyNames], whole),
      counters.readCounters(orgId, subjects, [STEP_DROPPED, ...tallies, ...latencyNames], whole),
    ]);
    const [total, step] = [totalsOf(ofPipeline), totalsOf(ofSteps)];
    return call.answer({
      in: runNames.reduce((sum, name) => sum + total(id, name), 0),
      dropped: total(id, 'dropped'),
      failed: failed.total,
      p95_ms: percentileOf(0.95, id, total),
      version,
      since: toRfc3339(present?.createdAt ?? pipeline.updatedAt),
      steps: subjects.map((subject, place) => ({
        // Each event that came to it took its time.
        in: latencyNames.reduce((sum, name) => sum + step(subject, name), 0),
        dropped: step(subject, STEP_DROPPED),
        failed: failed.steps[place] ?? { count: 0, more: false },
        p95_ms: percentileOf(0.95, subject, step),
        classify: talliesOf(subject, step),
      })),
      classify: talliesOf(id, total),
    });
  });
}

const talliesOf = (subject: string, of: ReturnType<typeof totalsOf>) => ({
  model_called: of(subject, 'model_called'),
  cache_hit: of(subject, 'cache_hit'),
  call_shared: of(subject, 'call_shared'),
});
