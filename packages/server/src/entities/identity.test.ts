import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { TimedEntity } from '../core/stores/entities.ts';
import { mergeIdentity } from './identity.ts';

const member = (
  externalId: string,
  traits: Record<string, unknown>,
  times: Record<string, number>,
): TimedEntity => ({
  kind: 'customer',
  externalId,
  traits: JSON.stringify(traits),
  traitTimes: JSON.stringify(times),
  version: 1,
  createdAt: 0,
  updatedAt: 0,
});

describe('an identity', () => {
  test('takes of each trait the value that was written last, and says from where', () => {
    const { traits, provenance } = mergeIdentity({
      members: [
        member('a', { plan: 'free', email: 'a@x' }, { plan: 9_000_001, email: 1_000_000 }),
        member(
          'b',
          { plan: 'pro', email: 'b@x', seats: 5 },
          { plan: 8_000_000, email: 2_000_000, seats: 3_000_000 },
        ),
      ],
      truncated: false,
    });
    expect(traits).toEqual({ email: 'b@x', plan: 'free', seats: 5 });
    expect(provenance).toEqual([
      { trait: 'email', entity: { kind: 'customer', externalId: 'b' }, updatedAt: 2_000 },
      { trait: 'plan', entity: { kind: 'customer', externalId: 'a' }, updatedAt: 9_000 },
      { trait: 'seats', entity: { kind: 'customer', externalId: 'b' }, updatedAt: 3_000 },
    ]);
  });

  test('tells writes of one millisecond apart by their order', () => {
    const members = [member('a', { x: 1 }, { x: 5_000_002 }), member('b', { x: 2 }, { x: 5_000_001 })];
    expect(mergeIdentity({ members, truncated: false }).traits).toEqual({ x: 1 });
  });

  test('keeps null, exact integers, and keys with names of the language', () => {
    const odd: TimedEntity = {
      ...member('a', {}, {}),
      traits: '{"__proto__":{"x":1},"constructor":12345678901234567890,"gone":null}',
      traitTimes: '{"__proto__":1000,"constructor":1000,"gone":1000}',
    };
    const { traits, provenance } = mergeIdentity({ members: [odd], truncated: false });
    expect(Object.keys(traits)).toEqual(['__proto__', 'constructor', 'gone']);
    expect(traits.constructor as unknown).toBe(12345678901234567890n);
    expect(traits.gone).toBeNull();
    expect(provenance.map(({ trait }) => trait)).toEqual(['__proto__', 'constructor', 'gone']);
  });

  test('is the newest of each, whatever the members hold', () => {
    const someMembers = fc.array(fc.dictionary(fc.constantFrom('p', 'q', 'r'), fc.nat({ max: 50 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(someMembers, all => {
        const members = all.map((times, n) =>
          member(`m${n}`, Object.fromEntries(Object.keys(times).map(name => [name, n])), times),
        );
        const { traits } = mergeIdentity({ members, truncated: false });
        for (const name of ['p', 'q', 'r']) {
          const newest = Math.max(...all.map(times => times[name] ?? -1));
          const first = all.findIndex(times => times[name] === newest);
          expect(traits[name]).toBe(newest < 0 ? undefined : first);
        }
      }),
    );
  });
});
