import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Browser, dataOf, setUp } from '../support/dashboard.ts';
import { makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

test('a definition that cannot be opened fails its own runs, and no other pipeline', async () => {
  const { id: orgId } = dataOf<{ organisation: { id: string } }>(await owner.get('/session')).organisation;
  const hook = await makeWebhook(service.url, owner);
  await makePipeline(owner, { name: 'Good', sources: [hook.id] });
  const model = {
    provider: 'openai',
    name: 'm',
    api_key: { sealed: 'with a key that is gone, and long enough for all that' },
  };
  const config = { label: 'l', labels: ['a', 'b'], prompt: '?', model };
  const definition = {
    name: 'Broken',
    sources: [hook.id],
    steps: [{ kind: 'classify', config }],
    destinations: [],
  };
  const broken = {
    id: 'pipe_broken',
    orgId,
    name: 'Broken',
    enabled: true,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
  };
  await service.engine.configuration.createPipeline(
    { ...broken, definition: JSON.stringify(definition) },
    'ada',
  );

  const { runs } = await settled(owner, await hook.send({}));
  const found = Object.fromEntries(runs.map(({ pipeline, ...run }) => [pipeline.name, run]));
  expect(found).toMatchObject({
    Good: { outcome: 'routed' },
    Broken: { outcome: 'failed', reason: expect.stringContaining('secrets cannot be read') },
  });
});
