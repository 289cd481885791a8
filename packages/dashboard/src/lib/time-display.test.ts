import { afterEach, expect, test } from 'bun:test';
import {
  formatTime,
  formatWithZone,
  fromTimeInput,
  isToday,
  showTimesAs,
  timeFormat,
  toTimeInput,
} from './time-display.ts';

const AT = Date.UTC(2021, 0, 5, 23, 4, 9);
const zoneOfTests = process.env.TZ;
afterEach(() => {
  process.env.TZ = zoneOfTests ?? 'UTC';
  showTimesAs({ time_zone: 'local', clock: '24h' });
});

test('one format follows whatever is chosen at the time', () => {
  process.env.TZ = 'Asia/Tokyo';
  const clock = timeFormat({ hour: '2-digit', minute: '2-digit' });
  expect(clock.format(AT)).toBe('08:04');
  showTimesAs({ time_zone: 'utc', clock: '24h' });
  expect(clock.format(AT)).toBe('23:04');
  showTimesAs({ time_zone: 'utc', clock: '12h' });
  expect(clock.format(AT)).toBe('11:04 pm');
  showTimesAs({ time_zone: 'local', clock: '24h' });
  expect(clock.format(AT)).toBe('08:04');
});

test('a time of another day has the day, which is that of the zone', () => {
  process.env.TZ = 'Asia/Tokyo';
  expect(formatTime(AT)).toBe('6 Jan, 08:04:09');
  showTimesAs({ time_zone: 'utc', clock: '12h' });
  expect(formatTime(AT)).toBe('5 Jan, 11:04:09 pm');
  expect(formatWithZone(AT)).toBe('5 Jan 2021, 11:04:09 pm UTC');
  expect(isToday(Date.now())).toBe(true);
  expect(formatTime(Date.now())).not.toContain(',');
});

test('what is typed into a filter is a time of the same zone', () => {
  process.env.TZ = 'Asia/Tokyo';
  expect(toTimeInput('2021-01-05T23:04:09Z')).toBe('2021-01-06T08:04');
  expect(fromTimeInput('2021-01-06T08:04')).toBe('2021-01-05T23:04:00.000Z');
  showTimesAs({ time_zone: 'utc', clock: '24h' });
  expect(toTimeInput('2021-01-05T23:04:09Z')).toBe('2021-01-05T23:04');
  expect(fromTimeInput('2021-01-05T23:04')).toBe('2021-01-05T23:04:00.000Z');
  expect([toTimeInput('never'), fromTimeInput('')]).toEqual(['', '']);
});
