import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Browser, dataOf, listOf, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { moodStep, startModel } from '../support/model.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
let other: Browser;
beforeAll(async () => {
  service = await startTestService({
    settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
  });
  owner = await setUp(service);
  other = await stranger(service.url, owner, 'stranger@example.com');
});
afterAll(() => service.stop());

type Made = { id: string; secret?: string; config: Record<string, unknown> };
const make = async (path: string, body: object) => dataOf<Made>(await owner.post(path, body));

test('a destination takes its original’s secret along, unseen, and only to the same server', async () => {
  const receiver = startReceiver();
  const original = await make('/destinations', {
    kind: 'webhook',
    name: 'Hook',
    config: { url: `${receiver.url}/a`, auth: { mode: 'bearer', secret: 'canary' } },
  });
  const copy = { kind: 'webhook', name: 'Copy of Hook', clone_of: original.id };
  const config = { ...original.config, url: `${receiver.url}/b` };
  const cloned = await owner.post('/destinations', { ...copy, config });
  expect(JSON.stringify(cloned.body)).not.toContain('canary');
  const { id } = dataOf<Made>(cloned);
  await owner.post(`/destinations/${id}/test`);
  const [request] = receiver.requests;
  expect([request?.path, request?.headers.get('authorization')]).toEqual(['/b', 'Bearer canary']);
  await receiver.stop();

  const elsewhere = { ...config, url: 'http://127.0.0.2:9/b' };
  expectRefused(await owner.post('/destinations', { ...copy, config: elsewhere }), {
    status: 400,
    code: 'validation_failed',
    path: 'config.url',
  });
  expectRefused(await owner.post('/destinations', { ...copy, config, clone_of: 'dst_nobodys' }), {
    status: 404,
    code: 'not_found',
  });
  expectRefused(await other.post('/destinations', { ...copy, config }), { status: 404, code: 'not_found' });
  expectRefused(
    await owner.post('/destinations', { ...copy, kind: 'slack', config: { url: { set: true } } }),
    {
      status: 404,
      code: 'not_found',
    },
  );
});

test('a listener gets a token of its own', async () => {
  const original = await make('/destinations', { kind: 'listener', name: 'Mine', config: {} });
  const { config } = dataOf<Made>(await owner.get(`/destinations/${original.id}`));
  expect(config).toMatchObject({ token: { set: true } });
  const cloned = await make('/destinations', {
    kind: 'listener',
    name: 'Copy of Mine',
    config,
    clone_of: original.id,
  });
  expect(cloned.secret).toStartWith('lsn_');
  expect(cloned.secret).not.toBe(original.secret);
});

test('a pipeline takes the secrets of its steps along, and asks the model with them', async () => {
  const model = startModel();
  const speaks = { provider: 'openai-compatible', base_url: model.url, name: 'm', api_key: 'canary' };
  const withKey = moodStep(model, { model: speaks });
  const original = await make('/pipelines', { name: 'P', steps: [withKey] });
  const shown = dataOf<{ steps: { config: unknown }[] }>(await owner.get(`/pipelines/${original.id}`));
  expect(JSON.stringify(shown.steps)).toContain('"api_key":{"set":true}');
  const copy = { name: 'Copy of P', steps: shown.steps, enabled: false };
  expectRefused(await owner.post('/pipelines', copy), {
    status: 400,
    code: 'validation_failed',
    path: 'steps[0].config.model.api_key',
  });
  const { id } = await make('/pipelines', { ...copy, clone_of: original.id });
  const event = { type: 'a', payload: { n: 1 } };
  const draft = { pipeline: { ...copy, id }, event, classify: true };
  dataOf(await owner.post('/pipelines/dry-run', draft));
  expect(model.asked[0]?.headers.get('authorization')).toBe('Bearer canary');
  expectRefused(await other.post('/pipelines', { ...copy, clone_of: original.id }), {
    status: 404,
    code: 'not_found',
  });
  const [entry] = listOf<{ details: { clone_of?: string } }>(await owner.get('/audit?limit=1')).data;
  expect(entry?.details.clone_of).toBe(original.id);
  await model.stop();
});
