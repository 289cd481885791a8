import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { hours } from './clock.ts';
import { type IdPrefix, idFloor, idTime, isId, newId } from './ids.ts';

/** In the past: ids never go back behind one that was made for a later moment. */
const past = Date.now() - hours(48);

test('ids are well formed, unique and sorted in the order they were made, whatever the clock does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: hours(1) }), { minLength: 1, maxLength: 200 }),
      offsets => {
        const ids = offsets.map(offset => newId('evt', past + offset));
        expect(ids.every(id => isId('evt', id))).toBe(true);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(ids);
      },
    ),
  );
});

test('a hundred thousand in a moment stay unique and sorted', () => {
  const ids = Array.from({ length: 100_000 }, () => newId('evt'));
  expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? ''))).toBe(true);
});

test('an id tells when it was made', () => {
  const now = Date.now();
  expect(idTime(newId('evt', now))).toBeGreaterThanOrEqual(now);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 47 }), ms => {
      expect(idTime(idFloor('evt', ms))).toBe(ms);
    }),
  );
});

test('the floor of a moment divides what is older from what is not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 46 }), fc.integer({ min: 1, max: 10 ** 9 }), (ms, later) => {
      expect(idFloor('evt', ms) < idFloor('evt', ms + later)).toBe(true);
    }),
  );
  const made = newId('evt');
  expect(made > idFloor('evt', idTime(made))).toBe(true);
  expect(made < idFloor('evt', idTime(made) + 1)).toBe(true);
});

test('what is no id of ours is told apart', () => {
  const id = newId('src');
  const others: [IdPrefix, string][] = [
    ['evt', id],
    ['src', id.toLowerCase()],
    ['src', `${id}0`],
    ['src', id.slice(0, -1)],
    ['src', `src_${'U'.repeat(26)}`],
    ['src', ''],
  ];
  expect(isId('src', id)).toBe(true);
  for (const [prefix, value] of others) expect(isId(prefix, value)).toBe(false);
});
