import { expect, test } from 'bun:test';
import { sampleEvent } from '../../../test/support/scope.ts';
import { until } from '../../../test/support/until.ts';
import { compileRoutes } from '../../routing/match.ts';
import type { LoadedPipeline } from '../definitions/definitions.ts';
import { packRuns, unpackReports } from './pack.ts';
import { createPostedPipelines } from './posted-pipelines.ts';
import { type FromThread, newProgress, type ToThread } from './protocol.ts';
import { serveThread } from './serve-thread.ts';

const pipelineOf = (id: string): LoadedPipeline => ({
  id,
  version: 1,
  name: id,
  sources: [],
  steps: [],
  destinations: [],
  isRemote: false,
});

test('a pipeline that is let go of is still there for the runs that were posted for it', async () => {
  const said: FromThread[] = [];
  let tell: (message: ToThread) => void = () => {};
  serveThread(
    {
      post: message => void said.push(message),
      onMessage(handle) {
        tell = handle;
      },
    },
    { compileRoutes },
  );
  expect(said).toEqual([]);
  const secretKey = 'a secret key for tests, 32 characters or more';
  tell({ kind: 'open', secretKey, progress: newProgress().buffer, handsBack: false });
  expect(said).toEqual([{ kind: 'up' }]);
  const run = (n: number) => ({
    n,
    pipelineName: 'a',
    orgId: 'org_1',
    event: sampleEvent(),
    payload: '{}',
    sourceName: null,
    retries: 0,
  });
  const outcomes = () =>
    said
      .flatMap(message => (message.kind === 'reports' ? unpackReports(message.reports) : []))
      .map(([n, report]) => [n, report.kind === 'settled' ? report.outcome : report.kind]);
  tell({
    kind: 'run',
    pipelines: [{ name: 'a', pipeline: pipelineOf('pipe_a') }],
    runs: packRuns([run(1), run(2), run(3)]),
  });
  tell({ kind: 'invalidate', names: ['a'] });
  tell({ kind: 'run', pipelines: [], runs: packRuns([run(4)]) });
  await until(() => outcomes().length === 4, 'A run is left out.');
  expect(outcomes().toSorted()).toEqual([
    [1, 'routed'],
    [2, 'routed'],
    [3, 'routed'],
    [4, 'failed'],
  ]);
});

test('the pipelines that a thread has are bounded, and the longest unused make way', () => {
  const posted = createPostedPipelines();
  const [kept, ...others] = Array.from({ length: 2_001 }, (_, i) => pipelineOf(`pipe_${i}`));
  const first = posted.add(kept as LoadedPipeline);
  const names = others.map((pipeline, i) => {
    if (i === 1_000) expect(posted.nameOf(kept as LoadedPipeline)).toBe(first);
    return posted.add(pipeline);
  });
  expect(posted.takeEvicted()).toEqual([names[0] ?? '']);
  expect(posted.takeEvicted()).toEqual([]);
  expect(posted.nameOf(others[0] as LoadedPipeline)).toBeUndefined();
  expect(posted.add(others[0] as LoadedPipeline)).not.toBe(names[0] ?? '');
});
