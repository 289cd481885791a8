import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { PipelineFigures } from '@sluice/contract/dashboard-figures';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import { type Browser, dataOf, listOf, setUp } from '../support/dashboard.ts';
import { openaiAnswer, startModel, type TestModel } from '../support/model.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
let model: TestModel;
beforeAll(async () => {
  service = await startTestService({
    settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
  });
  owner = await setUp(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  model = startModel();
});
afterEach(() => model.stop());

const severity = (label: string) => () => openaiAnswer({ content: JSON.stringify({ severity: label }) });
const classify = (more: object = {}) => ({
  kind: 'classify',
  config: {
    label: 'severity',
    labels: ['low', 'high'],
    prompt: 'How bad?',
    model: { provider: 'openai-compatible', base_url: model.url, name: 'm', api_key: 'canary' },
    ...more,
  },
});

interface Tallied {
  readonly classify: {
    readonly model_called: number;
    readonly cache_hit: number;
    readonly call_shared: number;
  };
}
const talliesOf = async (id: string) => dataOf<Tallied>(await owner.get(`/pipelines/${id}`)).classify;

describe('a label', () => {
  test('is what later steps and destinations branch on', async () => {
    model.answer(severity('high'), severity('low'));
    const hook = await makeWebhook(service.url, owner);
    const [urgent, rest] = [await makeInbox(owner), await makeInbox(owner)];
    await makePipeline(owner, {
      sources: [hook.id],
      steps: [classify(), { kind: 'transform', config: { set: { note: 'It is {{ labels.severity }}' } } }],
      destinations: [
        { id: urgent, when: 'labels.severity == "high"' },
        { id: rest, when: 'labels.severity != "high"' },
      ],
    });
    for (const [n, label, going] of [
      [1, 'high', urgent],
      [2, 'low', rest],
    ] as const) {
      const event = await settled(owner, await hook.send({ n }));
      expect(event.state).toBe('processed');
      expect(event.deliveries.map(({ destination }) => destination.id)).toEqual([going]);
      expect(event.runs[0]?.steps[1]?.after).toEqual({
        payload: { n, note: `It is ${label}` },
        labels: { severity: label },
      });
    }
  });

  test('counts in quotes, in a code fence and as a field of its own name, and nothing else is taken for one', async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { sources: [hook.id], steps: [classify({ retry_s: [] })] });
    for (const content of ['"high"', '```\nhigh\n```', '```\n"high"\n```', '{"high":0.93}']) {
      model.answer(() => openaiAnswer({ content }));
      const event = await settled(owner, await hook.send({ content }));
      expect(event.runs[0]?.steps[0]?.after).toMatchObject({ labels: { severity: 'high' } });
    }
    model.answer(() => openaiAnswer({ content: '{"high":0.9,"low":0.1}' }));
    const event = await settled(owner, await hook.send({ undecided: true }));
    expect(event).toMatchObject({
      state: 'failed',
      runs: [{ outcome: 'failed', reason: expect.stringContaining('not one of the labels') }],
    });
  });

  test('of identical payloads is asked for once, and the counters say what that saved', async () => {
    model.answer(severity('low'));
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id], steps: [classify()] });
    const first = await Promise.all(Array.from({ length: 8 }, () => hook.send({ same: true })));
    for (const event of first) expect((await settled(owner, event)).state).toBe('processed');
    const again = await settled(owner, await hook.send('{ "same" : true }'));
    expect(again.runs[0]?.steps[0]?.note).toContain('cache hit');
    expect(model.asked).toHaveLength(1);
    const { model_called, cache_hit, call_shared } = await talliesOf(id);
    expect(model_called).toBe(1);
    expect(cache_hit + call_shared).toBe(8);
  });

  test('is counted at the step that asked for it, so that people see which of two saves calls', async () => {
    model.answer(severity('low'));
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, {
      sources: [hook.id],
      steps: [
        classify(),
        // From here on no two are the same.
        { kind: 'transform', config: { set: { own: '$event.id' } } },
        classify({ prompt: 'How bad is this one?' }),
      ],
    });
    for (let n = 0; n < 3; n++) await settled(owner, await hook.send({ alike: true }));
    const figures = async () =>
      dataOf<PipelineFigures>(await owner.get(`/pipelines/${id}/figures?minutes=60`));
    await until(async () => (await figures()).steps[2]?.in === 3, 'The steps are not counted.');
    const { steps, classify: all } = await figures();
    const none = { model_called: 0, cache_hit: 0, call_shared: 0 };
    expect(steps.map(step => step.classify)).toEqual([
      { ...none, model_called: 1, cache_hit: 2 },
      none,
      { ...none, model_called: 3 },
    ]);
    expect(all).toEqual({ ...none, model_called: 4, cache_hit: 2 });
  });

  test('outlives the version that asked for it', async () => {
    model.answer(severity('low'));
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id], steps: [classify()] });
    await settled(owner, await hook.send({ kept: 1 }));
    await owner.patch(`/pipelines/${id}`, { name: 'Another version' });
    await settled(owner, await hook.send({ kept: 1 }));
    expect(model.asked).toHaveLength(1);
  });
});

describe('a model that is away', () => {
  const away = () => new Response('no', { status: 503 });

  test('is asked again after each delay, while the event is still accepted', async () => {
    model.answer(away, away, severity('high'));
    const hook = await makeWebhook(service.url, owner);
    const inbox = await makeInbox(owner);
    const { id } = await makePipeline(owner, {
      sources: [hook.id],
      steps: [classify({ retry_s: [0.2, 0.2] })],
      destinations: [{ id: inbox }],
    });
    const eventId = await hook.send({ patient: true });
    await until(() => model.asked.length === 1, 'The model is not asked.');
    const listed = listOf<{ id: string }>(await owner.get('/events?state=accepted')).data;
    expect(listed.map(event => event.id)).toContain(eventId);
    const event = await settled(owner, eventId);
    expect(event.state).toBe('processed');
    expect(event.runs).toHaveLength(1);
    expect(event.deliveries).toHaveLength(1);
    expect(model.asked).toHaveLength(3);
    expect(await talliesOf(id)).toMatchObject({ model_called: 3 });
  });

  test('is shown while the event waits: where it stopped, every try with what the model said, and the steps before', async () => {
    const babble = () => new Response(JSON.stringify({ hello: 'sk-secret-of-the-model' }), { status: 200 });
    model.answer(away, babble);
    const hook = await makeWebhook(service.url, owner);
    const steps = [
      { kind: 'transform', config: { set: { seen: true } } },
      classify({
        retry_s: [0.1, 600],
        model: {
          provider: 'openai-compatible',
          base_url: model.url,
          name: 'm',
          api_key: 'sk-secret-of-the-model',
        },
      }),
    ];
    const { id } = await makePipeline(owner, { sources: [hook.id], steps });
    const eventId = await hook.send({ shown: true });
    const shown = async () => dataOf<EventRecord>(await owner.get(`/events/${eventId}`));
    await until(async () => (await shown()).waiting?.retries === 2, 'It is not tried twice.');
    const { waiting, outcome } = await shown();
    expect(outcome).toBe('retrying');
    expect(waiting?.runs).toMatchObject([
      {
        pipeline: { id, version: 1 },
        step: 1,
        steps: [
          { outcome: 'changed', before: { payload: { shown: true } }, after: { payload: { seen: true } } },
          { outcome: 'failed' },
        ],
        tries: [
          { reason: expect.stringContaining('503'), answer: { status: 503, body: 'no' } },
          { answer: { status: 200, body: '{"hello":"…"}' } },
        ],
      },
    ]);
    // A dry run says as much.
    const tried = await owner.post('/pipelines/dry-run', {
      pipeline: { id, name: 'd', sources: [hook.id], steps, destinations: [] },
      event_id: eventId,
      classify: true,
    });
    expect(dataOf<DryRunRecord>(tried)).toMatchObject({
      outcome: 'retry',
      step: 1,
      answer: { status: 200, body: '{"hello":"…"}' },
      steps: [{ outcome: 'changed' }, { outcome: 'failed' }],
    });
  });

  test('holds up neither the other pipelines of its event nor those of others', async () => {
    model.answer(away);
    const hook = await makeWebhook(service.url, owner);
    const inbox = await makeInbox(owner);
    await makePipeline(owner, { sources: [hook.id], steps: [classify({ retry_s: [600] })] });
    const quick = await makePipeline(owner, { sources: [hook.id], destinations: [{ id: inbox }] });
    const id = await hook.send({ both: true });
    await until(async () => (await readEvent(owner, id)).deliveries.length === 1, 'The other waits too.');
    const event = await readEvent(owner, id);
    expect(event).toMatchObject({
      state: 'accepted',
      runs: [{ pipeline: { id: quick.id }, outcome: 'routed' }],
    });
  });

  test('ends in the dead letters once the delays are spent, with step and reason', async () => {
    model.answer(away);
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, {
      sources: [hook.id],
      steps: [{ kind: 'filter.match', config: { condition: 'true' } }, classify({ retry_s: [0.1] })],
    });
    const event = await settled(owner, await hook.send({ doomed: true }));
    expect(event).toMatchObject({ state: 'failed', runs: [{ outcome: 'failed', step: 1 }] });
    expect(event.runs[0]?.reason).toContain('503');
    expect(event.runs[0]?.steps.map(({ outcome }) => outcome)).toEqual(['kept', 'failed']);
    const { runs } = dataOf<EventRecord>(await owner.get(`/events/${event.id}`));
    const refused = { reason: expect.stringContaining('503'), answer: { status: 503, body: 'no' } };
    expect(runs[0]?.tries).toEqual([
      { at: expect.any(String), ...refused },
      { at: expect.any(String), ...refused },
    ]);
    expect(model.asked).toHaveLength(2);
    const letters = listOf<{ event_id: string; reason: string }>(await owner.get('/dead-letters')).data;
    expect(letters.find(letter => letter.event_id === event.id)?.reason).toContain('503');
  });

  test('costs nothing but the default label where there is one', async () => {
    model.answer(away);
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, {
      sources: [hook.id],
      steps: [classify({ on_error: 'default', default_label: 'low' })],
    });
    const event = await settled(owner, await hook.send({ easy: true }));
    expect(event.runs[0]?.steps[0]?.after).toMatchObject({ labels: { severity: 'low' } });
    model.answer(severity('high'));
    const again = await settled(owner, await hook.send({ easy: true }));
    expect(again.runs[0]?.steps[0]?.after).toMatchObject({ labels: { severity: 'high' } });
  });

  test('is not asked for an event whose pipeline was disabled while it waited', async () => {
    model.answer(away);
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id], steps: [classify({ retry_s: [0.5] })] });
    const eventId = await hook.send({ waits: true });
    await until(() => model.asked.length === 1, 'The model is not asked.');
    await owner.patch(`/pipelines/${id}`, { enabled: false });
    const event = await settled(owner, eventId);
    expect(event).toMatchObject({ state: 'failed', runs: [{ reason: expect.stringContaining('disabled') }] });
    expect(model.asked).toHaveLength(1);
  });
});
