import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  anthropicAnswer,
  type MemoryCache,
  memoryCache,
  openaiAnswer,
  plainModelClient,
  startModel,
  type TestModel,
} from '../../../test/support/model.ts';
import { runStep } from '../../../test/support/step.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { StepPorts } from '../ports/registry.ts';
import { createSharedCalls } from '../ports/shared-calls.ts';

let model: TestModel;
let cache: MemoryCache;
beforeEach(() => {
  model = startModel();
  cache = memoryCache();
});
afterEach(() => model.stop());

const config = (change: JsonObject = {}, modelChange: JsonObject = {}): JsonObject => ({
  label: 'severity',
  labels: ['low', 'high', 'critical'],
  prompt: 'How bad is it?',
  model: {
    provider: 'openai-compatible',
    base_url: `${model.url}/v1`,
    name: 'test-model',
    api_key: 'sk-test',
    ...modelChange,
  },
  timeout_s: 5,
  ...change,
});

const classify = (
  change: JsonObject = {},
  options: {
    payload?: JsonObject;
    tries?: number;
    orgId?: string;
    ports?: Partial<StepPorts>;
    model?: JsonObject;
  } = {},
) =>
  runStep('classify', config(change, options.model), options.payload ?? { text: 'it burns' }, {
    tries: options.tries ?? 0,
    orgId: options.orgId ?? 'org_1',
    ports: { model: plainModelClient, labels: cache, ...options.ports },
  });

const ended = async (result: ReturnType<typeof classify>) => {
  const run = await result;
  if (run.kind === 'retry') return { retry: run.afterMs, reason: run.reason };
  return run.outcome.kind === 'routed' ? run.scope.labels : { [run.outcome.kind]: run.outcome.reason };
};

const label = (value: string) => () => openaiAnswer({ content: JSON.stringify({ severity: value }) });

describe('classify speaks as OpenAI does', () => {
  test('asks for one of the labels, by a schema', async () => {
    model.answer(label('critical'));
    const result = await classify({}, { payload: { b: 9007199254740993n, a: 1 } });
    expect(result.scope.labels).toEqual({ severity: 'critical' });
    expect(result.trace.steps[0]).toMatchObject({
      outcome: 'changed',
      note: 'severity = critical (asked the model)',
    });
    expect(result.tallies).toEqual([{ tally: 'model_called', step: 0 }]);
    const [asked] = model.asked;
    expect(asked?.path).toBe('/v1/chat/completions');
    expect(asked?.headers.get('authorization')).toBe('Bearer sk-test');
    expect(asked?.headers.get('content-type')).toBe('application/json');
    expect(asked?.body).toMatchObject({
      model: 'test-model',
      messages: [
        { role: 'system', content: expect.stringContaining('How bad is it?') },
        { role: 'user', content: '{"a":1,"b":9007199254740993}' },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'classification',
          strict: true,
          schema: {
            type: 'object',
            properties: { severity: { type: 'string', enum: ['low', 'high', 'critical'] } },
            required: ['severity'],
            additionalProperties: false,
          },
        },
      },
    });
  });

  test('without a key where there is none, and whatever slash ends the URL', async () => {
    model.answer(label('low'));
    await runStep(
      'classify',
      config({ model: { provider: 'openai-compatible', base_url: `${model.url}/`, name: 'm' } }),
      {},
      {
        ports: { model: plainModelClient, labels: cache },
      },
    );
    expect(model.asked[0]?.path).toBe('/chat/completions');
    expect(model.asked[0]?.headers.has('authorization')).toBe(false);
  });

  // What servers answer that pass over the schema.
  test.each(['high', '"high"', '```json\n{"severity": "high"}\n```', '{"high": 0.93}'])(
    'and reads %j',
    async content => {
      model.answer(() => openaiAnswer({ content }));
      expect(await ended(classify())).toEqual({ severity: 'high' });
    },
  );

  const refusals: [string, () => Response, string][] = [
    ['a label outside the set', label('catastrophic'), 'not one of the labels'],
    ['a label in other letters', label('High'), 'not one of the labels'],
    ['words around a label', () => openaiAnswer({ content: 'It is high.' }), 'not one of the labels'],
    ['a bare label in other letters', () => openaiAnswer({ content: 'HIGH' }), 'not one of the labels'],
    [
      'a bare label that was cut off',
      () => openaiAnswer({ content: 'high' }, 'length'),
      'not one of the labels',
    ],
    ['two labels', () => openaiAnswer({ content: '{"high":0.9,"low":0.1}' }), 'not one of the labels'],
    [
      'an answer that was cut off',
      () => openaiAnswer({ content: '{"severity":"hi' }, 'length'),
      'not one of the labels',
    ],
    ['no content', () => openaiAnswer({ content: null }), 'not one of the labels'],
    [
      'a refusal',
      () => openaiAnswer({ content: null, refusal: 'I cannot help with that.' }),
      'refused to answer',
    ],
    ['a content filter', () => openaiAnswer({ content: '' }, 'content_filter'), 'content filter'],
    ['no choices', () => Response.json({ choices: [] }), 'not one of the labels'],
    ['another object altogether', () => Response.json({ severity: 'high' }), 'not one of the labels'],
    ['HTML', () => new Response('<html>welcome</html>'), 'did not answer in JSON'],
    ['an empty body', () => new Response(''), 'did not answer in JSON'],
    [
      'more than anybody reads',
      () => openaiAnswer({ content: ' '.repeat(300_000) }),
      'did not answer in JSON',
    ],
    ['a redirect', () => new Response(null, { status: 304 }), 'status 304'],
  ];
  for (const [what, answer, reason] of refusals) {
    test(`and takes no label from ${what}`, async () => {
      model.answer(answer);
      expect(await ended(classify())).toEqual({ retry: 1_000, reason: expect.stringContaining(reason) });
      expect(cache.labels.size + cache.claims.size).toBe(0);
    });
  }
});

describe('classify speaks as Anthropic does', () => {
  const anthropic = { model: { provider: 'anthropic', base_url: '' } };
  const ask = () => classify({}, { model: { ...anthropic.model, base_url: model.url } });
  const use = (input: JsonObject, name = 'record_classification') => ({
    type: 'tool_use',
    id: 'toolu_1',
    name,
    input,
  });

  test('asks for one of the labels, by a tool it must use', async () => {
    model.answer(() => anthropicAnswer([{ type: 'text', text: 'Let me see.' }, use({ severity: 'high' })]));
    expect((await ask()).scope.labels).toEqual({ severity: 'high' });
    const [asked] = model.asked;
    expect(asked?.path).toBe('/v1/messages');
    expect(asked?.headers.get('x-api-key')).toBe('sk-test');
    expect(asked?.headers.get('anthropic-version')).toBe('2023-06-01');
    expect(asked?.headers.has('authorization')).toBe(false);
    expect(asked?.body).toMatchObject({
      model: 'test-model',
      max_tokens: expect.any(Number),
      system: expect.stringContaining('How bad is it?'),
      messages: [{ role: 'user', content: '{"text":"it burns"}' }],
      tools: [
        {
          name: 'record_classification',
          input_schema: {
            type: 'object',
            properties: { severity: { type: 'string', enum: ['low', 'high', 'critical'] } },
            required: ['severity'],
            additionalProperties: false,
          },
        },
      ],
      tool_choice: { type: 'tool', name: 'record_classification' },
    });
  });

  const text = (text: string) => ({ type: 'text', text });
  test.each(['high', '```\n"high"\n```', '{"severity":"high"}', '```json\n{"severity":"high"}\n```'])(
    'and reads %j where no tool was used',
    async content => {
      model.answer(() => anthropicAnswer([text(content)], 'end_turn'));
      expect(await ended(ask())).toEqual({ severity: 'high' });
    },
  );

  test('and reads a tool whose only field is named as the label', async () => {
    model.answer(() => anthropicAnswer([use({ high: 0.93 })]));
    expect(await ended(ask())).toEqual({ severity: 'high' });
  });

  const refusals: [string, () => Response, string][] = [
    ['a label outside the set', () => anthropicAnswer([use({ severity: 'worst' })]), 'not one of the labels'],
    ['two labels', () => anthropicAnswer([use({ high: 0.9, low: 0.1 })]), 'not one of the labels'],
    ['another tool', () => anthropicAnswer([use({ severity: 'high' }, 'other')]), 'not one of the labels'],
    [
      'words around a label',
      () => anthropicAnswer([text('It is high.')], 'end_turn'),
      'not one of the labels',
    ],
    [
      'a bare label that was cut off',
      () => anthropicAnswer([text('high')], 'max_tokens'),
      'not one of the labels',
    ],
    [
      'words beside another tool',
      () => anthropicAnswer([text('high'), use({ severity: 'high' }, 'other')]),
      'not one of the labels',
    ],
    ['a refusal', () => anthropicAnswer([], 'refusal'), 'refused to answer'],
    ['an answer that was cut off', () => anthropicAnswer([use({})], 'max_tokens'), 'not one of the labels'],
    [
      'a content that is none',
      () => Response.json({ type: 'message', content: 'high' }),
      'not one of the labels',
    ],
  ];
  for (const [what, answer, reason] of refusals) {
    test(`and takes no label from ${what}`, async () => {
      model.answer(answer);
      expect(await ended(ask())).toEqual({ retry: 1_000, reason: expect.stringContaining(reason) });
    });
  }

  test('overloaded is an error to be tried again', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded sk-test' } };
    model.answer(() => Response.json(error, { status: 529 }));
    expect(await ended(ask())).toEqual({
      retry: 1_000,
      reason: 'The model answered with status 529 (overloaded_error).',
    });
  });
});

describe('a model that fails', () => {
  const status =
    (code: number, headers: Record<string, string> = {}) =>
    () =>
      Response.json(
        { error: { type: 'server_error', message: 'key sk-test is bad' } },
        { status: code, headers },
      );

  test('is tried again after each of the delays, then the event fails', async () => {
    model.answer(status(500));
    const delays = [];
    for (let tries = 0; tries < 6; tries++)
      delays.push(await ended(classify({ retry_s: [1, 5, 0.5] }, { tries })));
    const reason = 'The model answered with status 500 (server_error).';
    expect(delays).toEqual([
      { retry: 1_000, reason },
      { retry: 5_000, reason },
      { retry: 500, reason },
      { failed: reason },
      { failed: reason },
      { failed: reason },
    ]);
  });

  test('is asked no earlier than it says', async () => {
    model.answer(status(429, { 'retry-after': '17' }));
    expect(await ended(classify())).toMatchObject({ retry: 17_000 });
    const date = new Date(Date.UTC(2026, 0, 31, 12, 0, 40)).toUTCString();
    model.answer(status(503, { 'retry-after': date }));
    expect(await ended(classify())).toMatchObject({ retry: 40_000 });
    model.answer(status(429, { 'retry-after': '86400' }));
    expect(await ended(classify())).toMatchObject({ retry: 3_600_000 });
  });

  test('is asked again whatever its status was, since a person may fix the model meanwhile', async () => {
    for (const code of [400, 401, 403, 404, 408, 413, 422, 429, 502]) {
      model.answer(status(code));
      const reason = `The model answered with status ${code} (server_error).`;
      expect(await ended(classify())).toEqual({ retry: 1_000, reason });
      expect(await ended(classify({}, { tries: 5 }))).toEqual({ failed: reason });
    }
  });

  test('by being slow is cut at its timeout', async () => {
    const { promise: forever, resolve } = Promise.withResolvers<Response>();
    model.answer(() => forever);
    expect(await ended(classify({ timeout_s: 0.1 }))).toEqual({
      retry: 1_000,
      reason: 'The model could not be called: It took too long.',
    });
    resolve(new Response());
  });

  test('by not being there, or where it may not be, is said', async () => {
    const gone = { base_url: 'http://127.0.0.1:1/v1' };
    expect(await ended(classify({}, { model: gone }))).toMatchObject({ retry: 1_000 });
    const failure = { code: 'address_not_allowed', message: 'That address is private.' } as const;
    const guarded = { request: async () => ({ kind: 'failed', failure }) as const };
    expect(await ended(classify({}, { ports: { model: guarded } }))).toEqual({
      failed: 'The model could not be called: That address is private.',
    });
  });

  test('gives the default label at once where that is asked for, and the cache never keeps it', async () => {
    const withDefault = { on_error: 'default', default_label: 'unknown' };
    model.answer(status(500), status(429), label('high'));
    expect(await ended(classify(withDefault))).toEqual({ severity: 'unknown' });
    const result = await classify(withDefault);
    expect(result.trace.steps[0]?.note).toBe(
      'severity = unknown, the default: The model answered with status 429 (server_error).',
    );
    expect(cache.labels.size + cache.claims.size).toBe(0);
    expect(await ended(classify(withDefault))).toEqual({ severity: 'high' });
  });

  test('never shows the key', async () => {
    model.answer(status(401));
    expect(JSON.stringify(await ended(classify()))).not.toContain('sk-test');
  });
});

describe('identical payloads share one answer', () => {
  test('from the cache, however the payload was written', async () => {
    model.answer(label('high'));
    await classify({}, { payload: { a: 1, b: [2] } });
    const again = await classify({}, { payload: { b: [2], a: 1 } });
    expect(again.scope.labels).toEqual({ severity: 'high' });
    expect(again.tallies).toEqual([{ tally: 'cache_hit', step: 0 }]);
    expect(again.trace.steps[0]?.note).toBe('severity = high (cache hit)');
    expect(model.asked).toHaveLength(1);
  });

  test('but not with another payload, prompt, set of labels, model or organisation', async () => {
    model.answer(label('high'));
    await classify();
    await classify({}, { payload: { text: 'it burns!' } });
    await classify({}, { payload: { text: 'it burns', big: 9007199254740993n } });
    await classify({}, { payload: { text: 'it burns', big: 9007199254740992n } });
    await classify({ prompt: 'How good is it?' });
    await classify({ labels: ['low', 'high'] });
    await classify({}, { model: { name: 'other' } });
    await classify({}, { orgId: 'org_2' });
    expect(model.asked).toHaveLength(8);
  });

  test('also with another key, timeout or policy', async () => {
    model.answer(label('high'));
    await classify();
    await classify(
      { timeout_s: 1, retry_s: [], on_error: 'default', default_label: 'low' },
      { model: { api_key: 'sk-2' } },
    );
    expect(model.asked).toHaveLength(1);
  });

  test('while the call is under way, in one process', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<Response>();
    model.answer(() => answered);
    const sharedCalls = createSharedCalls();
    const runs = Array.from({ length: 20 }, () => classify({}, { ports: { sharedCalls } }));
    resolve(openaiAnswer({ content: '{"severity":"low"}' }));
    const results = await Promise.all(runs);
    expect(results.map(({ scope }) => scope.labels.severity)).toEqual(Array(20).fill('low'));
    expect(results.flatMap(({ tallies }) => tallies.map(({ tally }) => tally)).sort()).toEqual([
      ...Array(19).fill('call_shared'),
      'model_called',
    ]);
    expect(model.asked).toHaveLength(1);
  });

  test('and so is its failure', async () => {
    model.answer(() => new Response('', { status: 500 }));
    const sharedCalls = createSharedCalls();
    const results = await Promise.all([
      classify({}, { ports: { sharedCalls } }),
      classify({}, { ports: { sharedCalls } }),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['retry', 'retry']);
    expect(model.asked).toHaveLength(1);
  });

  test('while another node is asking, by waiting for its answer', async () => {
    let looks = 0;
    const claimLabel = async () =>
      ++looks < 4 ? ({ kind: 'busy' } as const) : ({ kind: 'hit', label: 'critical' } as const);
    const result = await classify({}, { ports: { labels: { ...cache, claimLabel } } });
    expect(result.scope.labels).toEqual({ severity: 'critical' });
    expect(result.tallies).toEqual([{ tally: 'call_shared', step: 0 }]);
    expect(model.asked).toHaveLength(0);
  });

  test('but not for longer than the timeout', async () => {
    const busy = { ...cache, claimLabel: async () => ({ kind: 'busy' }) as const };
    expect(await ended(classify({ timeout_s: 1 }, { ports: { labels: busy } }))).toEqual({
      retry: 1_000,
      reason: 'Another node has been asking the model for longer than the timeout.',
    });
  });
});

test('in a dry run that does not ask for it, the model is left alone', async () => {
  const result = await classify({}, { ports: { model: null } });
  expect(result.trace.steps[0]).toMatchObject({
    outcome: 'kept',
    note: 'the model was not asked in this dry run',
  });
});

describe('a bad configuration is refused', () => {
  test.each([
    [{ label: 'a b' }, 'steps[0].config.label'],
    [{ labels: [] }, 'steps[0].config.labels'],
    [{ labels: ['a', 'a'] }, 'steps[0].config.labels'],
    [{ on_error: 'default' }, 'steps[0].config.default_label'],
    [{ timeout_s: 0 }, 'steps[0].config.timeout_s'],
    [{ retry_s: [-1] }, 'steps[0].config.retry_s[0]'],
    [{ model: { provider: 'x', name: 'm' } }, 'steps[0].config.model.provider'],
    [{ model: { provider: 'anthropic', name: 'm', base_url: 'ftp://x' } }, 'steps[0].config.model.base_url'],
    [
      { model: { provider: 'anthropic', name: 'm', base_url: 'https://u:p@x' } },
      'steps[0].config.model.base_url',
    ],
    [{ model: { provider: 'anthropic', name: 'm', api_key: 'a\r\nb' } }, 'steps[0].config.model.api_key'],
    [{ prompt: undefined }, 'steps[0].config.prompt'],
  ] as [JsonObject, string][])('%j', (change, path) => {
    expect(() => classify(change)).toThrow(expect.objectContaining({ path }));
  });
});
