import { expect, test } from 'bun:test';
import { Problem } from '../errors.ts';
import { requireFewValues } from './count-values.ts';

const isRefused = (text: string, most: number): boolean => {
  try {
    requireFewValues(new TextEncoder().encode(text), most);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.code === 'payload_too_large') return true;
    throw error;
  }
};

test('keys and values are counted, and what texts hold is not', () => {
  const few = ['1', '"[1,2,3,{:}]"', '"\\"[,,,,"', '"\\\\"', '"é,€,:"', '"cut off ,,,,,,', '"\\'];
  for (const text of few) expect([text, isRefused(text, 1)]).toEqual([text, false]);
  const counted: [string, number][] = [
    ['[1]', 2],
    ['[1,2,3]', 4],
    ['{"a":1}', 3],
    ['{"a":"x,y","b":{}}', 6],
    ['[[[]]]', 4],
    ['"\\\\",,', 3],
  ];
  for (const [text, values] of counted) {
    expect([text, isRefused(text, values), isRefused(text, values - 1)]).toEqual([text, false, true]);
  }
});
