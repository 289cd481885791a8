import type { CelFunction } from './code.ts';
import { CelFailure, type CelValue, Duration } from './value.ts';

/** Times and durations: what CEL reads off them, in UTC or in a named time zone. */
const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
};

const DURATION = /^([+-])?((?:\d{1,15}(?:\.\d{1,15})?(?:h|ms|m|s|us|µs|ns))+)$/;

export function parseDuration(text: string): Duration | CelFailure {
  const [, sign, parts = ''] = (text.length <= 100 && DURATION.exec(text)) || [];
  if (parts === '') return new CelFailure('mismatch', 'a text does not read as a duration such as 1h30m');
  let ms = 0;
  for (const [, amount, unit = ''] of parts.matchAll(/([\d.]+)([a-zµ]+)/g))
    ms += Number(amount) * (UNIT_MS[unit] ?? 0);
  return new Duration(sign === '-' ? -ms : ms);
}

export const printDuration = (duration: Duration): string => `${duration.ms / 1_000}s`;

/** The parts of a time, counted as CEL counts them: months, days of the month and of the year from 0. */
interface Parts {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

const partsInUtc = (time: Date): Parts => ({
  year: time.getUTCFullYear(),
  month: time.getUTCMonth(),
  date: time.getUTCDate(),
  weekday: time.getUTCDay(),
  hours: time.getUTCHours(),
  minutes: time.getUTCMinutes(),
  seconds: time.getUTCSeconds(),
});

/** Making a formatter takes twenty times as long as using it. Zones are few, however many spellings they have. */
const MOST_FORMATTERS = 100;
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    if (formatters.size === MOST_FORMATTERS) formatters.clear();
    formatters.set(zone, made);
    return made;
  } catch {
    return null;
  }
}

function partsInZone(time: Date, zone: string): Parts | null {
  const formatter = formatterOf(zone);
  if (formatter === null) return null;
  const numbers: Record<string, number> = {};
  for (const { type, value } of formatter.formatToParts(time)) numbers[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = numbers;
  return partsInUtc(new Date(Date.UTC(year, month - 1, day, hour, minute, second)));
}

const FORMATTING_STEPS = 2_000;

const ofTime =
  (read: (parts: Parts, time: Date) => number, ofDuration?: (ms: number) => number): CelFunction =>
  ([time = null, zone], budget) => {
    if (time instanceof Duration)
      return ofDuration && zone === undefined ? count(ofDuration(time.ms)) : undefined;
    if (!(time instanceof Date) || (zone !== undefined && typeof zone !== 'string')) return undefined;
    if (zone === undefined) return count(read(partsInUtc(time), time));
    budget.spend(FORMATTING_STEPS);
    const parts = partsInZone(time, zone);
    return parts === null
      ? new CelFailure('mismatch', 'there is no such time zone')
      : count(read(parts, time));
  };

const count = (n: number): CelValue => BigInt(Math.trunc(n));

const dayOfYear = ({ year, month, date }: Parts): number =>
  (Date.UTC(year, month, date) - Date.UTC(year, 0, 1)) / 86_400_000;

export const timeMethods: Readonly<Record<string, CelFunction>> = {
  getFullYear: ofTime(parts => parts.year),
  getMonth: ofTime(parts => parts.month),
  getDate: ofTime(parts => parts.date),
  getDayOfMonth: ofTime(parts => parts.date - 1),
  getDayOfWeek: ofTime(parts => parts.weekday),
  getDayOfYear: ofTime(dayOfYear),
  getHours: ofTime(
    parts => parts.hours,
    ms => ms / 3_600_000,
  ),
  getMinutes: ofTime(
    parts => parts.minutes,
    ms => ms / 60_000,
  ),
  getSeconds: ofTime(
    parts => parts.seconds,
    ms => ms / 1_000,
  ),
  getMilliseconds: ofTime(
    (_parts, time) => time.getUTCMilliseconds(),
    ms => ms,
  ),
};
