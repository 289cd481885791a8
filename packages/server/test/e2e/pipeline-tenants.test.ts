import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Browser, dataOf, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { moodStep, openaiAnswer, startModel, type TestModel } from '../support/model.ts';
import { makePipeline, makeWebhook, readEvent, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let model: TestModel;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService({
    settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
  });
  model = startModel();
  owner = await setUp(service);
});
afterAll(async () => {
  await service.stop();
  await model.stop();
});

test('a model that hangs keeps nobody waiting but its own organisation', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  model.answer(async () => {
    await released;
    return openaiAnswer({ content: '{"mood":"good"}' });
  });
  const source = dataOf<{ id: string }>(
    await owner.post('/sources', { kind: 'sdk', name: 'All', match: '*' }),
  );
  await makePipeline(owner, {
    sources: [source.id],
    steps: [moodStep(model, { timeout_s: 60 })],
  });
  const other = await stranger(service.url, owner, 'other@example.com');
  const hook = await makeWebhook(service.url, other);
  await makePipeline(other, { sources: [hook.id] });

  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'test' }));
  const ids: string[] = [];
  // All alike, so that one question is asked for all of them.
  for (let batch = 0; batch < 14; batch++) {
    const events = Array.from({ length: 100 }, () => ({ type: 'a', payload: {} }));
    ids.push(...acceptedIds(await ingestWith(service.url, secret)({ events })));
  }
  await until(() => model.asked.length > 0, 'The model is not asked.');
  expect((await settled(other, await hook.send({}))).state).toBe('processed');
  expect((await readEvent(owner, ids.at(-1) ?? '')).state).toBe('accepted');
  release();
  expect((await settled(owner, ids.at(-1) ?? '')).state).toBe('processed');
});
