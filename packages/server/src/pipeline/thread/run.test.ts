import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { memoryCache } from '../../../test/support/model.ts';
import { sampleEvent } from '../../../test/support/scope.ts';
import { quietPorts, runPipeline } from '../../../test/support/step.ts';
import { Problem } from '../../core/errors.ts';
import { threadMs } from '../../core/expressions/cel/budget.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import { type CompiledPipeline, compilePipeline } from '../definitions/compile.ts';
import type { ModelClient } from '../ports/model.ts';
import type { StepOutcome } from '../step.ts';
import { bindPipeline } from './run.ts';
import { readTrace, writeTrace } from './trace.ts';

/** A pipeline of steps that answer what a test says. */
const pipelineOf = (...steps: (() => StepOutcome | Promise<StepOutcome>)[]): CompiledPipeline => ({
  steps: steps.map((run, i) => ({ kind: `step${i}`, readsTraits: false, bind: () => run })),
  readsTraits: false,
  urls: [],
  check: () => {},
});

const claim = { scope: 's', key: 'k', windowMs: 1_000 };

describe('a run', () => {
  test('folds the event over its steps and is routed', async () => {
    const result = await runPipeline(
      pipelineOf(
        () => ({ kind: 'keep', payload: { a: 2 } }),
        () => ({ kind: 'keep', labels: { x: 'y' }, note: 'seen', claim, tally: 'cache_hit' }),
        async () => ({ kind: 'keep' }),
      ),
      { a: 1 },
    );
    expect(result).toMatchObject({
      kind: 'settled',
      outcome: { kind: 'routed' },
      scope: { payload: { a: 2 }, labels: { x: 'y' } },
      claims: [{ ...claim, step: 1 }],
      tallies: [{ tally: 'cache_hit', step: 1 }],
    });
    expect(
      result.trace.steps.map(({ outcome, before, after, note }) => [outcome, before, after, note]),
    ).toEqual([
      ['changed', 0, 1, null],
      ['changed', 1, 2, 'seen'],
      ['kept', 2, 2, null],
    ]);
  });

  test('ends at the step that drops or fails, with what was claimed until then', async () => {
    const never = () => {
      throw new Error('it went on');
    };
    const claiming = (): StepOutcome => ({ kind: 'keep', claim });
    const dropped = await runPipeline(
      pipelineOf(claiming, () => ({ kind: 'drop', note: 'no' }), never),
      {},
    );
    expect(dropped).toMatchObject({
      outcome: { kind: 'dropped', step: 1, stepKind: 'step1', reason: 'no' },
      claims: [{ step: 0 }],
    });
    const failed = await runPipeline(
      pipelineOf(() => ({ kind: 'fail', reason: 'bad' }), never),
      {},
    );
    expect(failed).toMatchObject({ outcome: { kind: 'failed', step: 0, stepKind: 'step0', reason: 'bad' } });
    expect(failed.trace.steps).toMatchObject([{ outcome: 'failed', note: 'bad' }]);
  });

  test('that is to be tried again says when and why, and claims nothing', async () => {
    const retry: StepOutcome = { kind: 'retry', afterMs: 5_000, reason: 'away', tally: 'model_called' };
    const result = await runPipeline(
      pipelineOf(
        () => ({ kind: 'keep', claim }),
        () => retry,
      ),
      {},
    );
    expect(result).toMatchObject({
      kind: 'retry',
      step: 1,
      afterMs: 5_000,
      reason: 'away',
      tallies: [{ tally: 'model_called', step: 1 }],
    });
    expect(result).not.toHaveProperty('claims');
  });

  test('whose step throws fails with step and reason', async () => {
    for (const broken of [
      () => {
        throw new Error('oops');
      },
      async () => {
        throw new Error('oops');
      },
    ])
      expect(await runPipeline(pipelineOf(broken), {})).toMatchObject({
        outcome: { kind: 'failed', step: 0, stepKind: 'step0', reason: 'step0 broke: oops' },
      });
  });

  test('is nobody’s fault while storage is away', async () => {
    const away = () => {
      throw new Problem('storage_unavailable');
    };
    expect(runPipeline(pipelineOf(away), {})).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  test('fetches traits once, and only where a step or a route reads them', async () => {
    let fetched = 0;
    const entities = {
      readTraits: async () => {
        fetched++;
        return { plan: 'pro' };
      },
    };
    const input = {
      orgId: 'org_1',
      pipelineId: 'pipe_1',
      payload: {},
      sourceName: null,
      tries: 0,
      labels: {},
    };
    const run = (steps: Parameters<typeof compilePipeline>[0], readsTraits = false, hasEntity = true) =>
      bindPipeline(compilePipeline(steps), { ports: quietPorts({ entities }), readsTraits }).run({
        ...input,
        event: sampleEvent(hasEntity ? {} : { entity: null }),
      });
    await run([{ kind: 'filter.match', config: { condition: 'entity.kind == "customer"' } }]);
    await run([{ kind: 'enrich.entity', config: {} }], false, false);
    expect(fetched).toBe(0);
    const filter = { kind: 'filter.match', config: { condition: 'entity.traits.plan == "pro"' } };
    expect(await run([filter, filter])).toMatchObject({ outcome: { kind: 'routed' } });
    expect(fetched).toBe(1);
    expect((await run([], true)).scope.entity.traits).toEqual({ plan: 'pro' });
  });
});

describe('what steps make of a payload has limits', () => {
  test('a payload that doubles with every step ends soon, and is never written out', async () => {
    const double = { kind: 'transform', config: { set: { a: '$event.payload', b: '$event.payload' } } };
    const began = threadMs();
    const result = await runPipeline(compilePipeline(Array(40).fill(double)), { text: 'x'.repeat(1_000) });
    expect(result).toMatchObject({
      outcome: { kind: 'failed', reason: expect.stringContaining('larger than') },
    });
    expect(threadMs() - began).toBeLessThan(10_000);
    expect(writeTrace(result.trace).length).toBeLessThanOrEqual(64 * 1024);
  });

  test('and so does one that grows deeper', async () => {
    const deeper = { kind: 'transform', config: { template: { a: { b: { c: { d: '$event.payload' } } } } } };
    const result = await runPipeline(compilePipeline(Array(50).fill(deeper)), {});
    expect(result).toMatchObject({
      outcome: { kind: 'failed', reason: expect.stringContaining('nested deeper') },
    });
  });
});

const labelling: ModelClient = {
  request: async () => ({
    kind: 'answered',
    status: 200,
    headers: new Headers(),
    body: '{"choices":[{"message":{"content":"{\\"mood\\":\\"good\\"}"}}]}',
    isCut: false,
  }),
};

/** One of each kind, none of which drops anything. */
const everyStep = [
  {
    kind: 'transform',
    config: { set: { 'sluice.text': '{{ payload }}', 'sluice.seen': '$event.payload.value' } },
  },
  { kind: 'dedupe', config: { key: 'payload' } },
  { kind: 'filter.match', config: { condition: 'payload.value == payload.value || true' } },
  {
    kind: 'classify',
    config: {
      label: 'mood',
      labels: ['good', 'bad'],
      prompt: 'How are you?',
      model: { provider: 'openai-compatible', base_url: 'http://model.test', name: 'm' },
    },
  },
  { kind: 'enrich.entity', config: { into: 'known.entity' } },
  {
    kind: 'redact.pii',
    config: { keep: ['value', 'sluice.seen'], detectors: ['email', 'ip'], region: 'DE' },
  },
];

describe('whatever JSON goes in', () => {
  const integer = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
  const value: fc.Arbitrary<Json> = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false, '', '__proto__', 'ada@example.com', '192.0.2.1'),
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      integer.map(n => (Number.isSafeInteger(Number(n)) ? Number(n) : n)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'value')),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value as fc.Arbitrary<Json>;
  const payload = fc.dictionary(
    fc.oneof(fc.string(), fc.constant('value')),
    value,
  ) as fc.Arbitrary<JsonObject>;

  test('a run ends in exactly one outcome, and its trace reads', async () => {
    const steps = fc.shuffledSubarray(everyStep);
    await fc.assert(
      fc.asyncProperty(payload, steps, async (event, chosen) => {
        const result = await runPipeline(compilePipeline(chosen), event, {
          ports: { model: labelling, labels: memoryCache() },
        });
        if (result.kind !== 'settled') throw new Error(result.reason);
        expect(['routed', 'dropped', 'failed']).toContain(result.outcome.kind);
        if (result.outcome.kind === 'routed') expect(result.trace.steps).toHaveLength(chosen.length);
        else expect(result.outcome).toMatchObject({ step: result.trace.steps.length - 1 });
        const text = writeTrace(result.trace);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
        expect(readTrace(text, event).steps).toHaveLength(result.trace.steps.length);
      }),
      { numRuns: 300 },
    );
  });

  test('integers beyond 2^53 pass every step, condition and hash exactly', async () => {
    await fc.assert(
      fc.asyncProperty(integer, async n => {
        const payload = parseJson(`{"value":${n},"list":[${n}]}`) as JsonObject;
        const exactly = {
          kind: 'filter.match',
          config: {
            condition: `payload.value == ${n} && ${n + 1n} > payload.value && payload.value + 1 == ${n + 1n} && ${n} in payload.list`,
          },
        };
        const pipeline = compilePipeline([...everyStep, exactly]);
        const run = (event: JsonObject) =>
          runPipeline(pipeline, event, { ports: { model: labelling, labels: memoryCache() } });
        const result = await run(payload);
        expect(result).toMatchObject({ kind: 'settled', outcome: { kind: 'routed' } });
        expect(stringifyJson(result.scope.payload)).toContain(`"value":${n},"list":[${n}]`);
        expect((result.scope.payload.sluice as JsonObject).text).toBe(`{"value":${n},"list":[${n}]}`);
        expect(stringifyJson((result.scope.payload.sluice as JsonObject).seen)).toBe(`${n}`);
        const neighbour = await run(parseJson(`{"value":${n + 1n},"list":[${n}]}`) as JsonObject);
        const keyOf = ({ ...of }: typeof result) => (of.kind === 'settled' ? of.claims[0]?.key : undefined);
        expect(neighbour).toMatchObject({ outcome: { kind: 'dropped' } });
        expect(keyOf(neighbour)).not.toBe(keyOf(result));
        expect(writeTrace(result.trace)).toContain(`"value":${n}`);
      }),
      { numRuns: 60 },
    );
  });
});
