import { CelFailure } from './value.ts';

/** Time zones: by name, such as `Europe/Berlin`, or as an offset from UTC, such as `+02:00` or `02:00`. */
type Zone = Intl.DateTimeFormat | OffsetMs;
type OffsetMs = number;

const noSuchZone = new CelFailure(
  'mismatch',
  'there is no such time zone; write one such as Europe/Berlin or +02:00',
);

const OFFSET = /^([+-])?(\d\d):(\d\d)$/;

export function readZone(name: string): Zone | CelFailure {
  const [, sign, hours, minutes] = OFFSET.exec(name) ?? [];
  if (hours === undefined || minutes === undefined) return formatterOf(name) ?? noSuchZone;
  if (Number(hours) > 23 || Number(minutes) > 59) return noSuchZone;
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -ms : ms;
}

/** The time whose parts in UTC are those of the given time in the zone. */
export function inZone(time: Date, zone: Zone): Date {
  if (typeof zone === 'number') return new Date(time.getTime() + zone);
  const numbers: Record<string, number> = {};
  for (const { type, value } of zone.formatToParts(time)) numbers[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = numbers;
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  shown.setUTCHours(hour, minute, second, time.getUTCMilliseconds());
  return shown;
}

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
