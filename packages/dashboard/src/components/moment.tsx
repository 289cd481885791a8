import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** `3 min. ago`, `in 2 hr.` */
export function tellSince(at: number, now: number): string {
  const ms = at - now;
  if (Math.abs(ms) < 1_000) return 'now';
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000];
  return relative.format(Math.trunc(ms / size), unit as Intl.RelativeTimeFormatUnit);
}

const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** One clock for all moments of a page. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A moment as people say it, with the exact time on hover. */
export function Moment({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span>never</span>;
  const ms = Date.parse(at);
  return (
    <Tooltip label={exactTime.format(ms)}>
      <time dateTime={at} className="numbers">
        {tellSince(ms, now)}
      </time>
    </Tooltip>
  );
}
