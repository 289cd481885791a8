import { expect, test } from 'bun:test';
import { hours, minutes } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { createThrottle, networkOf } from './throttle.ts';

function clockAt(start: number) {
  const clock = { time: start, now: () => clock.time };
  return clock;
}

function refusalOf(act: () => unknown): Problem | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('takes twenty failures a quarter of an hour for each name, and says when there is room again', () => {
  const clock = clockAt(hours(1));
  const throttle = createThrottle(clock);
  for (let i = 0; i < 20; i++) {
    throttle.attempt('a', `b${i}`);
    clock.time += minutes(0.5);
  }
  expect(refusalOf(() => throttle.attempt('a'))).toMatchObject({ code: 'rate_limited', retryAfter: 300 });
  expect(refusalOf(() => throttle.attempt('b0', 'a'))).toMatchObject({ code: 'rate_limited' });
  expect(refusalOf(() => throttle.attempt('b0'))).toBeNull();

  clock.time += minutes(5);
  expect(refusalOf(() => throttle.attempt('a'))).toBeNull();
  expect(refusalOf(() => throttle.attempt('a'))).toMatchObject({ retryAfter: 30 });
});

test('what is refused does not count, neither here nor for the other names', () => {
  const clock = clockAt(hours(1));
  const throttle = createThrottle(clock);
  for (let i = 0; i < 20; i++) throttle.attempt('a');
  for (let i = 0; i < 50; i++) refusalOf(() => throttle.attempt('b', 'a'));
  expect(refusalOf(() => throttle.attempt('b'))).toBeNull();
  clock.time += minutes(15);
  expect(refusalOf(() => throttle.attempt('a'))).toBeNull();
});

test('what succeeds is taken back, and only that', () => {
  const throttle = createThrottle(clockAt(hours(1)));
  for (let i = 0; i < 19; i++) throttle.attempt('a');
  for (let i = 0; i < 100; i++) throttle.attempt('a', `c${i}`)();
  throttle.attempt('a');
  expect(refusalOf(() => throttle.attempt('a'))).not.toBeNull();
});

test('a clock that is set back locks nobody out until it has caught up', () => {
  const clock = clockAt(hours(48));
  const throttle = createThrottle(clock);
  for (let i = 0; i < 20; i++) throttle.attempt('a');
  clock.time -= hours(24);
  expect(refusalOf(() => throttle.attempt('a'))).toBeNull();
});

test('keeps a bounded number of names, those tried last', () => {
  const throttle = createThrottle(clockAt(hours(1)));
  for (let i = 0; i < 20; i++) {
    throttle.attempt('old');
    throttle.attempt('tried again');
  }
  for (let i = 0; i < 20_000; i++) {
    throttle.attempt(`new ${i}`);
    if (i % 5_000 === 0) expect(refusalOf(() => throttle.attempt('tried again'))).not.toBeNull();
  }
  expect(refusalOf(() => throttle.attempt('old'))).toBeNull();
  expect(refusalOf(() => throttle.attempt('tried again'))).not.toBeNull();
});

test('an address of IPv4 stands for itself, one of IPv6 for its network', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('::ffff:c000:207')).toBe('192.0.2.7');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8::9')).toBe('2001:db8:0:0::/64');
  expect(networkOf('2001:0DB8:0001:0002::9')).toBe('2001:db8:1:2::/64');
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
  expect(networkOf('')).toBe('');
});
