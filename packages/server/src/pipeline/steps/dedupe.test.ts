import { describe, expect, test } from 'bun:test';
import { runStep } from '../../../test/support/step.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { DedupeStore } from '../ports/dedupe.ts';

const seen = (eventId: string | null): { store: DedupeStore; asked: unknown[][] } => {
  const asked: unknown[][] = [];
  const findClaim: DedupeStore['findClaim'] = async (...args) => {
    asked.push(args);
    return eventId;
  };
  return { store: { findClaim }, asked };
};

const dedupe = (config: JsonObject, payload: JsonObject, eventId: string | null = null) => {
  const { store, asked } = seen(eventId);
  return runStep('dedupe', config, payload, { ports: { dedupe: store } }).then(result => ({ result, asked }));
};

const claimOf = async (config: JsonObject, payload: JsonObject) => {
  const { result } = await dedupe(config, payload);
  return result.kind === 'settled' ? result.claims[0] : undefined;
};

describe('dedupe', () => {
  test('lets the first one pass and claims its key, to be written when the run is settled', async () => {
    const { result, asked } = await dedupe({ window_s: 60 }, { id: 'a' });
    expect(result).toMatchObject({
      kind: 'settled',
      outcome: { kind: 'routed' },
      claims: [
        { step: 0, scope: expect.stringMatching(/^pipe_1:/), key: expect.any(String), windowMs: 60_000 },
      ],
    });
    expect(asked).toEqual([['org_1', expect.any(String), expect.any(String), Date.UTC(2026, 0, 31, 12)]]);
  });

  test('drops another event with the key, and says which was first', async () => {
    const { result } = await dedupe({}, { id: 'a' }, 'evt_first');
    expect(result).toMatchObject({
      outcome: {
        kind: 'dropped',
        step: 0,
        stepKind: 'dedupe',
        reason: 'payload.id was seen before, in evt_first',
      },
      claims: [],
    });
  });

  test('lets the same event pass again', async () => {
    const { result } = await dedupe({}, { id: 'a' }, 'evt_01J00000000000000000000001');
    expect(result).toMatchObject({ outcome: { kind: 'routed' }, claims: [{ step: 0 }] });
  });

  test('lets pass what has no key', async () => {
    for (const payload of [{}, { id: null }] as JsonObject[]) {
      const { result, asked } = await dedupe({}, payload);
      expect(result).toMatchObject({ outcome: { kind: 'routed' }, claims: [] });
      expect(result.trace.steps[0]?.note).toStartWith('no key: payload.id is ');
      expect(asked).toEqual([]);
    }
  });

  test('knows a key by its value, exactly', async () => {
    const keys = await Promise.all(
      [1, 1.5, '1', 9007199254740993n, 9007199254740992n, [1], { a: 1 }].map(
        async id => (await claimOf({}, { id }))?.key,
      ),
    );
    expect(new Set(keys).size).toBe(keys.length);
    const pair = { key: '[payload.a, payload.b]' };
    expect((await claimOf(pair, { a: 1, b: { x: 1, y: 2 } }))?.key).toBe(
      (await claimOf(pair, { b: { y: 2, x: 1 }, a: 1.0 }))?.key as string,
    );
  });

  test('fails where a key is made to be endless', async () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `${i}`);
    const { result } = await dedupe({ key: 'payload.many.map(m, payload)' }, { many });
    expect(result).toMatchObject({
      outcome: { kind: 'failed', reason: expect.stringMatching(/budget|larger than/) },
    });
  });

  test('keeps keys apart by what they are made of', async () => {
    const scopes = await Promise.all(
      ['payload.id', 'payload.id + "x"'].map(key => claimOf({ key }, { id: 'a' })),
    );
    expect(scopes[0]?.scope).not.toBe(scopes[1]?.scope as string);
  });

  test.each([
    [{ key: 'payload.' }, 'steps[0].config.key'],
    [{ key: '' }, 'steps[0].config.key'],
    [{ window_s: 0 }, 'steps[0].config.window_s'],
    [{ window_s: 1.5 }, 'steps[0].config.window_s'],
  ] as [JsonObject, string][])('refuses %j', (config, path) => {
    expect(() => runStep('dedupe', config, {})).toThrow(expect.objectContaining({ path }));
  });
});
