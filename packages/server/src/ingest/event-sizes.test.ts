import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonObjects } from '../../test/support/json-values.ts';
import { stringifyJson } from '../core/json/json.ts';
import { findSizeProblem } from './event-sizes.ts';

const find = (text: string, eventBytes: number, nesting = 64) =>
  findSizeProblem(Buffer.from(text), { eventBytes, nesting });

const blanks = fc.stringMatching(/^[ \n\t\r]{0,5}$/);

test('the first event over the limit is found, by its own text, however the body is laid out', () => {
  fc.assert(
    fc.property(
      fc.array(jsonObjects, { minLength: 1, maxLength: 5 }),
      blanks,
      fc.integer({ min: 2, max: 80 }),
      (payloads, blank, limit) => {
        const texts = payloads.map(payload => `{"type":"a","payload":${stringifyJson(payload)}}`);
        const body = `${blank}{"events"${blank}:${blank}[${texts.map(text => blank + text + blank).join(',')}]${blank}}`;
        const index = texts.findIndex(text => Buffer.byteLength(text) > limit);
        expect(find(body, limit)).toEqual(index < 0 ? null : { kind: 'too_large', index });
      },
    ),
  );
});

test('an event that is no object counts as well', () => {
  expect(find('{"events":[1,"xxxxxxxx",[]]}', 9)).toEqual({ kind: 'too_large', index: 1 });
  expect(find('{"events":[1,"xxxxxxx",[1,2,3,4]]}', 9)).toBeNull();
});

test('the payload is level 1: its limit passes, one more is too deep', () => {
  const body = (levels: number) =>
    `{"events":[{"type":"a"},{"payload":${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}}]}`;
  expect(find(body(64), 10_000)).toBeNull();
  expect(find(body(65), 10_000)).toEqual({ kind: 'too_deep', index: 1 });
});

test('a body that is no JSON ends the search and breaks nothing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      const problem = findSizeProblem(bytes, { eventBytes: 10, nesting: 3 });
      expect(problem === null || problem.index >= 0).toBe(true);
    }),
  );
  expect(find('{"events":["never closed', 5)).toBeNull();
  expect(find('{"events":["\\', 5)).toBeNull();
});
