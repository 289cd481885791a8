import type { TimeDisplay } from '@sluice/contract/dashboard-accounts';

/**
 * How every time is written: in the zone and by the clock that whoever is logged in has chosen. Texts are made far from
 * any component, so it is kept here, and set by the frame once it is known who that is.
 */
let chosen: TimeDisplay = { time_zone: 'local', clock: '24h' };

export function showTimesAs({ time_zone, clock }: TimeDisplay): void {
  chosen = { time_zone, clock };
}

interface TimeFormat {
  format(at: number | Date): string;
}

/** Like `Intl.DateTimeFormat`, in British English, and as it was chosen by the time that something is formatted. */
export function timeFormat(options: Intl.DateTimeFormatOptions): TimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>();
  return {
    format(at) {
      const { time_zone, clock } = chosen;
      const key = `${time_zone} ${clock}`;
      const format =
        made.get(key) ??
        new Intl.DateTimeFormat('en-GB', {
          ...options,
          hourCycle: clock === '12h' ? 'h12' : 'h23',
          ...(time_zone === 'utc' ? { timeZone: 'UTC' } : {}),
        });
      made.set(key, format);
      return format.format(at);
    },
  };
}

const wholeDay = timeFormat({ year: 'numeric', month: 'numeric', day: 'numeric' });

export const isToday = (at: number | Date): boolean => wholeDay.format(at) === wholeDay.format(Date.now());

const clockWithSeconds = timeFormat({ timeStyle: 'medium' });
/** `18 Nov` */
export const dayOfYear = timeFormat({ month: 'short', day: 'numeric' });
const dayAndZone = timeFormat({ dateStyle: 'medium', timeStyle: 'long' });

/** The time of the day, with the day where that is another: `14:03:22`, `18 Nov, 14:03:22`. */
export const formatTime = (at: number | Date, clock: TimeFormat = clockWithSeconds): string =>
  isToday(at) ? clock.format(at) : `${dayOfYear.format(at)}, ${clock.format(at)}`;

/** With the day and the zone: `18 Nov 2026, 14:03:22 UTC`. */
export const formatWithZone = (at: number | Date): string => dayAndZone.format(at);

/** A moment as an input of the type `datetime-local` holds it; empty where it is none. */
export function toTimeInput(at: string | number): string {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  if (Number.isNaN(ms)) return '';
  const offset = chosen.time_zone === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offset).toISOString().slice(0, 16);
}

export function fromTimeInput(typed: string): string {
  const at = new Date(chosen.time_zone === 'utc' ? `${typed}Z` : typed);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
