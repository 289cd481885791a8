import { describe, expect, test } from 'bun:test';
import type { PipelineStep } from '@sluice/contract';
import { runPipeline } from '../../../test/support/step.ts';
import { stepKinds } from '../steps/registry.ts';
import { compilePipeline } from './compile.ts';
import { keepStepSecrets, maskSteps, openSteps, sealSteps } from './step-secrets.ts';

describe('a definition', () => {
  test('compiles to its steps, with what they need', () => {
    const pipeline = compilePipeline([
      { kind: 'filter.match', config: { condition: 'entity.traits.plan == "pro"' } },
      { kind: 'redact.pii', config: {} },
    ]);
    expect(pipeline.steps.map(({ kind }) => kind)).toEqual(['filter.match', 'redact.pii']);
    expect(pipeline.readsTraits).toBe(true);
    expect(compilePipeline([])).toMatchObject({ steps: [], readsTraits: false, urls: [] });
  });

  test('is refused at the step, the field and the character', () => {
    const good = { kind: 'dedupe', config: {} };
    expect(() => compilePipeline([good, { kind: 'filter', config: {} }])).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        path: 'steps[1].kind',
        message: `steps[1].kind must be one of ${stepKinds.map(({ name }) => name).join(', ')}.`,
      }),
    );
    expect(() =>
      compilePipeline([good, good, { kind: 'transform', config: { set: { total: 'x {{ payload.a + }}' } } }]),
    ).toThrow(
      expect.objectContaining({
        path: 'steps[2].config.set.total',
        message: 'steps[2].config.set.total: The expression ends too early (at character 18).',
      }),
    );
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i++) deep = { deep };
    expect(() => compilePipeline([{ kind: 'transform', config: { template: deep } }])).toThrow(
      expect.objectContaining({ path: 'steps[0].config' }),
    );
    expect(() => compilePipeline([{ kind: 'filter.match', config: {} }])).toThrow(
      expect.objectContaining({
        path: 'steps[0].config.condition',
        message: 'steps[0].config.condition is required.',
      }),
    );
  });

  test('that was stored with a part that works for no event still runs, and is refused when it is saved', async () => {
    const hopeless = 'event.received_at > timestamp("2026-01-01")';
    const stored: [PipelineStep, string, string][] = [
      [{ kind: 'filter.match', config: { condition: `${hopeless} || true` } }, 'condition', 'routed'],
      [{ kind: 'filter.match', config: { condition: hopeless } }, 'condition', 'dropped'],
      [{ kind: 'dedupe', config: { key: 'payload[0]' } }, 'key', 'routed'],
      [{ kind: 'transform', config: { set: { a: 'x{{ duration("1d") }}' } } }, 'set.a', 'routed'],
      [{ kind: 'transform', config: { template: { a: 'x{{ int("b") }}' } } }, 'template.a', 'routed'],
    ];
    for (const [step, field, outcome] of stored) {
      const compiled = compilePipeline([step]);
      expect([field, await runPipeline(compiled, {})]).toMatchObject([field, { outcome: { kind: outcome } }]);
      expect(() => compiled.check()).toThrow(
        expect.objectContaining({ code: 'validation_failed', path: `steps[0].config.${field}` }),
      );
    }
  });
});

describe('the secrets of steps', () => {
  const classify = (label: string, api_key: unknown) => ({
    kind: 'classify',
    config: {
      label,
      labels: ['a', 'b'],
      prompt: 'Which?',
      model: { provider: 'anthropic', name: 'm', api_key },
    },
  });
  const filter = { kind: 'filter.match', config: { condition: 'true' } };
  const set = { set: true };

  test('are sealed, opened and masked', () => {
    const steps = [filter, classify('x', 'sk-1')];
    const sealed = sealSteps(steps, secret => `<${secret}>`);
    expect(sealed).toEqual([filter, classify('x', { sealed: '<sk-1>' })]);
    expect(openSteps(sealed, text => text.slice(1, -1))).toEqual(steps);
    expect(maskSteps(sealed)).toEqual([filter, classify('x', set)]);
  });

  test('stay with their step when steps are moved, changed or removed', () => {
    const stored = [classify('x', 'sk-1'), filter, classify('y', 'sk-2')];
    expect(keepStepSecrets([classify('y', set), classify('x', set)], stored)).toEqual([
      classify('y', 'sk-2'),
      classify('x', 'sk-1'),
    ]);
    expect(keepStepSecrets([classify('z', set)], stored)).toEqual([classify('z', 'sk-1')]);
    expect(keepStepSecrets([filter, classify('z', set)], [classify('x', 'sk-1'), filter])).toEqual([
      filter,
      classify('z', 'sk-1'),
    ]);
  });

  test('that cannot be distinguished have to be given again', () => {
    const stored = [classify('x', 'sk-1'), filter, classify('y', 'sk-2')];
    expect(() => keepStepSecrets([filter, classify('z', set)], stored)).toThrow(
      expect.objectContaining({ path: 'steps[1].config.model.api_key' }),
    );
    expect(() => keepStepSecrets([classify('x', set)], [])).toThrow(
      expect.objectContaining({ path: 'steps[0].config.model.api_key' }),
    );
  });
});
