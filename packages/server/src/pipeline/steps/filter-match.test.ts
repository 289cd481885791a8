import { expect, test } from 'bun:test';
import { runStep } from '../../../test/support/step.ts';
import type { JsonObject } from '../../core/json/json.ts';

const filter = (condition: string, payload: JsonObject = {}) =>
  runStep('filter.match', { condition }, payload);

test('an event that matches passes', async () => {
  expect(await filter('payload.total >= 100', { total: 100 })).toMatchObject({ outcome: { kind: 'routed' } });
});

test('one that does not is dropped, and its record says by which step and why', async () => {
  expect(await filter('payload.total >= 100', { total: 5 })).toMatchObject({
    outcome: { kind: 'dropped', step: 0, stepKind: 'filter.match', reason: 'payload.total >= 100 is false' },
  });
  expect(await filter('payload.total >= 100')).toMatchObject({
    outcome: { kind: 'dropped', reason: 'payload.total is absent' },
  });
});

test('a condition that exceeds its budget fails the step at once', async () => {
  const numbers = Array.from({ length: 100_000 }, (_, i) => i);
  expect(await filter('payload.n.all(a, payload.n.all(b, a + b >= 0))', { n: numbers })).toMatchObject({
    outcome: { kind: 'failed', step: 0, reason: expect.stringContaining('budget of 250 ms') },
  });
});

test('a bad condition is refused at its character', () => {
  expect(() => filter('payload.a == == 1')).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      path: 'steps[0].config.condition',
      message: expect.stringContaining('(at character 14)'),
    }),
  );
});
