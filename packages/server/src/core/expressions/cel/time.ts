import { parseTimestamp, timestamp } from '@sluice/contract';
import { type Overload, overload } from './overload.ts';
import { DURATION, NUMBER, TIMESTAMP } from './types.ts';
import { CelFailure, Duration, failureOf } from './value.ts';
import { inZone, readZone } from './zone.ts';

/** Times and durations, to the millisecond: how they are read, and what CEL reads off them. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** Ten thousand years. */
const LONGEST_MS = 315_576_000_000_000;

const unreadableTime = new CelFailure('mismatch', 'a text is not an RFC 3339 time');
const unreadableDuration = new CelFailure('mismatch', 'a text is not a duration such as 1h30m');
const outOfCalendar = new CelFailure('mismatch', 'a time lies outside the years 1 to 9999');
const tooLong = new CelFailure('mismatch', 'a duration is longer than 10,000 years');

export function timeAt(ms: number): Date | CelFailure {
  return ms >= FIRST_MS && ms <= LAST_MS ? new Date(ms) : outOfCalendar;
}

export const durationOf = (ms: number): Duration | CelFailure =>
  Math.abs(ms) <= LONGEST_MS ? new Duration(ms) : tooLong;

function parseTime(text: string): Date | CelFailure {
  const ms = text.length <= 64 && timestamp.safeParse(text).success ? parseTimestamp(text) : null;
  return ms === null ? unreadableTime : timeAt(ms);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
};

const DURATION_TEXT = /^([+-])?(0|(?:(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:h|ms|m|s|us|µs|ns))+)$/;

function parseDuration(text: string): Duration | CelFailure {
  const [, sign, parts = ''] = (text.length <= 100 && DURATION_TEXT.exec(text)) || [];
  if (parts === '') return unreadableDuration;
  let ms = 0;
  for (const [, amount, unit = ''] of parts.matchAll(/([\d.]+)([a-zµ]+)/g))
    ms += Number(amount) * (UNIT_MS[unit] ?? 0);
  return durationOf(sign === '-' ? -ms : ms);
}

/** RFC 3339 as CEL prints it: no fraction where there is none. */
export const printTime = (time: Date): string => time.toISOString().replace(/\.?0*Z$/, 'Z');

export const toTimestamp: readonly Overload[] = [
  overload(['timestamp'], TIMESTAMP, (_budget, time) => time),
  overload(['number'], TIMESTAMP, (_budget, seconds) => timeAt(Number(seconds) * 1_000)),
  overload(
    ['string'],
    TIMESTAMP,
    (_budget, text) => parseTime(text),
    text => failureOf(parseTime(text)),
  ),
];

export const toDuration: readonly Overload[] = [
  overload(['duration'], DURATION, (_budget, duration) => duration),
  overload(
    ['string'],
    DURATION,
    (_budget, text) => parseDuration(text),
    text => failureOf(parseDuration(text)),
  ),
];

/** Reading a zone and converting to it takes microseconds. */
const ZONE_STEPS = 2_000;

const DAY_MS = 86_400_000;

/** CEL counts months, and days of the month, of the week and of the year, from 0. */
function ofTime(read: (time: Date) => number): readonly Overload[] {
  return [
    overload(['timestamp'], NUMBER, (_budget, time) => BigInt(read(time))),
    overload(
      ['timestamp', 'string'],
      NUMBER,
      (budget, time, name) => {
        budget.spend(ZONE_STEPS);
        const zone = readZone(name);
        return zone instanceof CelFailure ? zone : BigInt(read(inZone(time, zone)));
      },
      name => failureOf(readZone(name)),
    ),
  ];
}

const ofDuration = (read: (ms: number) => number): Overload =>
  overload(['duration'], NUMBER, (_budget, { ms }) => BigInt(Math.trunc(read(ms))));

const dayOfYear = (time: Date): number => Math.floor((time.getTime() - startOfYear(time)) / DAY_MS);

/** `Date.UTC` takes the years before 100 for those of the last century. */
function startOfYear(time: Date): number {
  const start = new Date(time.getTime());
  start.setUTCMonth(0, 1);
  return start.setUTCHours(0, 0, 0, 0);
}

export const timeMethods: Readonly<Record<string, readonly Overload[]>> = {
  getFullYear: ofTime(time => time.getUTCFullYear()),
  getMonth: ofTime(time => time.getUTCMonth()),
  getDate: ofTime(time => time.getUTCDate()),
  getDayOfMonth: ofTime(time => time.getUTCDate() - 1),
  getDayOfWeek: ofTime(time => time.getUTCDay()),
  getDayOfYear: ofTime(dayOfYear),
  getHours: [...ofTime(time => time.getUTCHours()), ofDuration(ms => ms / 3_600_000)],
  getMinutes: [...ofTime(time => time.getUTCMinutes()), ofDuration(ms => ms / 60_000)],
  getSeconds: [...ofTime(time => time.getUTCSeconds()), ofDuration(ms => ms / 1_000)],
  getMilliseconds: [...ofTime(time => time.getUTCMilliseconds()), ofDuration(ms => ms % 1_000)],
};
