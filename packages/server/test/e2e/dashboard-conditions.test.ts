import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Browser, dataOf, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

const check = async (body: unknown) => dataOf(await owner.post('/conditions/check', body));

test('a condition that reads is said to be valid', async () => {
  expect(await check({ condition: 'payload.total >= 100 && event.type == "order.created"' })).toEqual({
    valid: true,
  });
});

test('a condition that does not parse is answered with the character', async () => {
  expect(await check({ condition: 'payload.total >=' })).toEqual({
    valid: false,
    message: 'The expression ends too early',
    position: 16,
  });
  expect(await check({ condition: 'event.type' })).toMatchObject({
    valid: false,
    message: expect.stringContaining('must be true or false'),
  });
  expect(await check({ condition: '' })).toMatchObject({ valid: false, position: 0 });
});

test('an expression may have any value', async () => {
  expect(await check({ expression: '[payload.host, payload.alert]' })).toEqual({ valid: true });
  expect(await check({ expression: '[payload.host' })).toMatchObject({ valid: false });
});

test('one text is checked, no more and no less', async () => {
  for (const body of [{}, { condition: 'true', expression: 'true' }]) {
    expectRefused(await owner.post('/conditions/check', body), {
      status: 400,
      code: 'validation_failed',
      path: 'condition',
    });
  }
});

test('what works for no event is refused wherever it is saved or tried out, at its field', async () => {
  const hopeless = 'event.received_at > timestamp("2026-01-01")';
  const base = { name: 'Hopeless', sources: [], steps: [], destinations: [] };
  const steps = [{ kind: 'filter.match', config: { condition: hopeless } }];
  expect(await check({ condition: hopeless })).toMatchObject({ valid: false });
  expect(await check({ expression: 'payload[0]' })).toMatchObject({ valid: false });

  const refused = { status: 400, code: 'validation_failed' };
  expectRefused(await owner.post('/pipelines', { ...base, steps }), {
    ...refused,
    path: 'steps[0].config.condition',
  });
  const event = { type: 'order.created', payload: {} };
  expectRefused(await owner.post('/pipelines/dry-run', { pipeline: { ...base, steps }, event }), {
    ...refused,
    path: 'pipeline.steps[0].config.condition',
  });

  const config = { url: 'https://example.com/hook' };
  const text = `{{ ${hopeless} }}`;
  expectRefused(
    await owner.post('/destinations', { name: 'Chat', kind: 'discord', config: { ...config, text } }),
    { ...refused, path: 'config.text' },
  );
  const { id } = dataOf<{ id: string }>(
    await owner.post('/destinations', { name: 'Hook', kind: 'inbox', config: {} }),
  );
  expectRefused(await owner.post('/pipelines', { ...base, destinations: [{ id, when: hopeless }] }), {
    ...refused,
    path: 'destinations[0].when',
  });
});
