import { expect, test } from 'bun:test';
import { UNKNOWN_PIPELINE } from '../../core/event/outcome.ts';
import type { ClaimedEvent, PlannedRun } from '../../core/stores/event-queue.ts';
import type { Definitions, LoadedPipeline } from '../definitions/definitions.ts';
import { planRuns, unplannable } from './plan.ts';

const pipeline = (id: string, ...sources: string[]): LoadedPipeline => ({
  id,
  version: 3,
  name: id,
  sources,
  steps: [],
  destinations: [],
  isRemote: false,
});

/** Two pipelines listen to the only source, and one to another. */
const definitions: Definitions = {
  of: async () => ({
    pipelines: [pipeline('pipe_a', 'src_1'), pipeline('pipe_b', 'src_1'), pipeline('pipe_c', 'src_2')],
    sourcesOf: () => [{ id: 'src_1', name: 'Shop' }],
  }),
  known: () => null,
  version: async () => null,
  invalidate() {},
};

const claimed = (plan: readonly PlannedRun[] | null): ClaimedEvent => ({
  orgId: 'org_1',
  event: { id: 'evt_1', type: 'x', icon: null, senderId: null, entity: null, happenedAt: 0, receivedAt: 0 },
  payload: '{}',
  sourceId: null,
  jobId: plan === null ? null : 'job_1',
  plan,
  token: 't',
  tries: 1,
});

const planned = async (plan: readonly PlannedRun[] | null) =>
  (await planRuns(claimed(plan), definitions, 9)).runs.map(run => run.planned);

test('what failed before its pipelines were known goes through all that listen now', async () => {
  const [failed] = unplannable(claimed(null), new Error('No.')).ended;
  expect(failed).toMatchObject({ pipeline: { id: UNKNOWN_PIPELINE }, report: { outcome: 'failed' } });
  const today = { version: null, retries: 0, dueAt: 0 };
  // A replay of the original versions finds the number that the failed run was kept with.
  for (const version of [null, failed?.pipeline.version ?? 0])
    expect(await planned([{ ...today, pipelineId: UNKNOWN_PIPELINE, version }])).toEqual([
      { ...today, pipelineId: 'pipe_a' },
      { ...today, pipelineId: 'pipe_b' },
    ]);
  expect((await planned(null)).map(({ pipelineId }) => pipelineId)).toEqual(['pipe_a', 'pipe_b']);
  expect((await planned([{ ...today, pipelineId: 'pipe_b' }])).map(({ pipelineId }) => pipelineId)).toEqual([
    'pipe_b',
  ]);
});

test('of a plan only what is due runs now, unless a clock that went back lets none of it seem so', async () => {
  const run = (pipelineId: string, dueAt: number) => ({ pipelineId, version: null, retries: 1, dueAt });
  expect(await planned([run('pipe_a', 9), run('pipe_b', 10)])).toEqual([run('pipe_a', 9)]);
  expect(await planned([run('pipe_a', 10), run('pipe_b', 11)])).toHaveLength(2);
});
