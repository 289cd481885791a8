import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Fifo } from './fifo.ts';

const filled = <T>(items: readonly T[]): Fifo<T> => {
  const fifo = new Fifo<T>();
  for (const item of items) fifo.push(item);
  return fifo;
};

test('what came first is taken first, also after many were', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 900 }), { maxLength: 12 }), rounds => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let made = 0;
      for (const [i, count] of rounds.entries()) {
        for (let n = 0; n < count; n++) {
          if (i % 2 === 0) {
            fifo.push(++made);
            model.push(made);
          } else {
            expect(fifo.shift()).toBe(model.shift());
          }
        }
        expect([fifo.length, fifo.first, [...fifo]]).toEqual([model.length, model[0], model]);
        expect(fifo.peek(3)).toEqual(model.slice(0, 3));
      }
    }),
    { numRuns: 50 },
  );
});

test('some are taken out, wherever they are', () => {
  const fifo = filled([1, 2, 3, 4, 5]);
  fifo.shift();
  expect(fifo.remove(n => n % 2 === 0)).toEqual([2, 4]);
  expect([...fifo]).toEqual([3, 5]);
});
