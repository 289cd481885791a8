import { describe, expect, test } from 'bun:test';
import { describeDelays, describeRetries, formatSpan, readDelays, writeDelays } from './retry-policy-text.ts';

const usual = { attempts: 8, schedule_s: [0, 5, 30, 120, 600, 1_800, 7_200, 21_600] };

describe('a retry policy in words', () => {
  test('says how many attempts there are and over what time', () => {
    expect(describeRetries(usual)).toBe('8 attempts over about 9 hours');
    expect(describeRetries({ attempts: 3, schedule_s: [0, 5, 30] })).toBe('3 attempts over about 35 seconds');
    expect(describeRetries({ attempts: 1, schedule_s: [0] })).toBe('one attempt');
    expect(describeRetries({ attempts: 1, schedule_s: [60] })).toBe('one attempt after 60 seconds');
    expect(describeRetries({ attempts: 5, schedule_s: [0] })).toBe('5 attempts, one right after the other');
  });

  test('repeats the last delay where the schedule is shorter, and leaves out what is past the attempts', () => {
    expect(describeRetries({ attempts: 4, schedule_s: [0, 3_600] })).toBe('4 attempts over about 3 hours');
    expect(describeRetries({ attempts: 2, schedule_s: [0, 600, 86_400] })).toBe(
      '2 attempts over about 10 minutes',
    );
  });

  test('names each delay', () => {
    expect(describeDelays(usual)).toBe(
      'immediately, then after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 6 h',
    );
    expect(describeDelays({ attempts: 1, schedule_s: [0] })).toBe('immediately');
    expect(describeDelays({ attempts: 2, schedule_s: [90, 0.5] })).toBe('after 90 s, then after 0.5 s');
    expect(describeDelays({ attempts: 50, schedule_s: [0, 60] })).toEndWith('1 min and …');
  });

  test('rounds to what people would say', () => {
    expect([1, 89, 90, 3_599, 31_355, 86_400 * 2].map(formatSpan)).toEqual([
      'a second',
      '89 seconds',
      '2 minutes',
      '60 minutes',
      '9 hours',
      '2 days',
    ]);
  });
});

describe('delays as they are written', () => {
  test('are read with and without units, and come back as they were', () => {
    expect(readDelays('0, 5s, 30s, 2m, 10min, 0.5h 6h; 1d')).toEqual([
      0, 5, 30, 120, 600, 1_800, 21_600, 86_400,
    ]);
    expect(writeDelays(usual.schedule_s)).toBe('0, 5s, 30s, 2m, 10m, 30m, 2h, 6h');
    expect(readDelays(writeDelays(usual.schedule_s))).toEqual(usual.schedule_s);
    expect(readDelays(writeDelays([0.5, 90, 3_601]))).toEqual([0.5, 90, 3_601]);
  });

  test('that cannot be read are none', () => {
    for (const text of ['', 'soon', '5x', '1, , -2', '1..2', '5 s']) expect(readDelays(text)).toBeNull();
  });
});
