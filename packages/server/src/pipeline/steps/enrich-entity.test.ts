import { expect, test } from 'bun:test';
import { type RunOptions, runStep } from '../../../test/support/step.ts';
import { type JsonObject, parseJson } from '../../core/json/json.ts';

const enrich = async (payload: JsonObject, into: string | undefined, options: RunOptions = {}) => {
  const result = await runStep('enrich.entity', into === undefined ? {} : { into }, payload, options);
  if (result.kind === 'settled' && result.outcome.kind === 'failed') return result.outcome.reason;
  return { payload: result.scope.payload, note: result.trace.steps[0]?.note };
};

test('the traits of the entity of an event are joined into the payload', async () => {
  const traits = parseJson('{"plan":"pro","id":9007199254740993}') as JsonObject;
  expect(await enrich({ a: 1 }, 'customer', { traits })).toEqual({
    payload: { a: 1, customer: { plan: 'pro', id: 9007199254740993n } },
    note: 'traits of customer/c-1',
  });
  expect(await enrich({}, undefined)).toMatchObject({ payload: { entity: { plan: 'pro' } } });
  expect(await enrich({}, 'a.b[0]')).toMatchObject({ payload: { a: { b: [{ plan: 'pro' }] } } });
});

test('what the event itself says stays', async () => {
  expect(
    await enrich({ customer: { plan: 'free', x: 1 } }, 'customer', { traits: { plan: 'pro', y: 2 } }),
  ).toMatchObject({
    payload: { customer: { plan: 'free', x: 1, y: 2 } },
  });
  expect(await enrich({ customer: null }, 'customer')).toMatchObject({
    payload: { customer: { plan: 'pro' } },
  });
  expect(await enrich({ customer: 'c-1' }, 'customer')).toBe('customer is not an object');
});

test('an event of no known entity passes unchanged', async () => {
  expect(await enrich({ a: 1 }, 'x', { event: { entity: null } })).toEqual({
    payload: { a: 1 },
    note: 'the event is tied to no entity',
  });
  expect(await enrich({ a: 1 }, 'x', { traits: null })).toEqual({
    payload: { a: 1 },
    note: 'there is no entity customer/c-1',
  });
});

test('a path that is none is refused', () => {
  expect(() => runStep('enrich.entity', { into: 'a b' }, {})).toThrow(
    expect.objectContaining({ path: 'steps[0].config.into' }),
  );
});
