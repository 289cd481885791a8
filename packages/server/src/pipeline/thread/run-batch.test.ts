import { expect, test } from 'bun:test';
import { sampleEvent } from '../../../test/support/scope.ts';
import { quietPorts } from '../../../test/support/step.ts';
import { threadMs } from '../../core/expressions/cel/budget.ts';
import { compileRoutes } from '../../routing/match.ts';
import { createProgress } from './progress.ts';
import { newProgress } from './protocol.ts';
import { createThreadRuns } from './run-batch.ts';

const LONG_MS = 1_100;

/** An event through two steps, of which the first takes as long as that does. */
function runThrough(first: () => void) {
  const { run } = createThreadRuns({
    ports: quietPorts({
      dedupe: {
        findClaim: () => {
          first();
          return Promise.resolve(null);
        },
      },
    }),
    progress: createProgress(newProgress()),
    compileRoutes,
  });
  const steps = [
    { kind: 'dedupe', config: {} },
    { kind: 'filter.match', config: { condition: 'true' } },
  ];
  const pipeline = {
    id: 'pipe_1',
    version: 1,
    name: 'All',
    sources: [],
    steps,
    destinations: [],
    isRemote: false,
  };
  const event = sampleEvent();
  return run(
    { n: 1, pipelineName: 'a', orgId: 'org_1', event, payload: '{"id":1}', sourceName: null, retries: 0 },
    { pipeline, compiled: null },
  );
}

test('a run that the machine stood still for goes on, however long that was', async () => {
  const report = await runThrough(() => Bun.sleepSync(LONG_MS));
  expect(report).toMatchObject({ kind: 'settled', outcome: 'routed' });
  expect(report.busyMs).toBeLessThan(LONG_MS / 2);
});

test('a run that is busy for longer than it may ends at its next step', async () => {
  const report = await runThrough(() => {
    for (const began = threadMs(); threadMs() - began < LONG_MS; );
  });
  expect(report).toMatchObject({
    kind: 'settled',
    outcome: 'failed',
    step: 1,
    reason: 'The run took longer than its budget of 1000 ms.',
  });
});
