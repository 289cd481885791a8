import { expect, test } from 'bun:test';
import { openaiAnswer, plainModelClient, startModel } from '../../../test/support/model.ts';
import { quietPorts, runPipeline } from '../../../test/support/step.ts';
import { compilePipeline } from '../definitions/compile.ts';
import { dryRunPorts } from './connect.ts';

const touched = (name: string) => async () => {
  throw new Error(`${name} was touched`);
};

test('a dry run looks at keys, leaves the cache alone, and asks the model only where it is told to', async () => {
  const model = startModel();
  model.answer(() => openaiAnswer({ content: '{"mood":"good"}' }));
  const config = {
    label: 'mood',
    labels: ['good', 'bad'],
    prompt: 'How?',
    model: { provider: 'openai-compatible', base_url: model.url, name: 'm' },
  };
  const pipeline = compilePipeline([
    { kind: 'dedupe', config: {} },
    { kind: 'classify', config },
  ]);
  const ports = quietPorts({
    model: plainModelClient,
    dedupe: { findClaim: async () => null },
    labels: { claimLabel: touched('claim'), keepLabel: touched('keep'), releaseLabel: touched('release') },
    sharedCalls: { join: touched('calls') },
  });
  const run = (mayAskModel: boolean) =>
    runPipeline(pipeline, { id: 1 }, { ports: dryRunPorts(ports, { mayAskModel }) });
  expect((await run(false)).trace.steps.map(({ outcome }) => outcome)).toEqual(['kept', 'kept']);
  expect(model.asked).toHaveLength(0);
  expect((await run(true)).scope.labels).toEqual({ mood: 'good' });
  expect(model.asked).toHaveLength(1);
  await model.stop();
});
