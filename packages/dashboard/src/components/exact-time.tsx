import { formatTime, timeFormat } from '../lib/time-display.ts';

const clock = timeFormat({
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const exact = timeFormat({ dateStyle: 'full', timeStyle: 'long' });

/**
 * A moment to the millisecond, for what is compared with other machines' logs, or to the second in a sentence; with the day
 * where that is another.
 */
export function ExactTime({ at, to = 'millisecond' }: { at: string; to?: 'millisecond' | 'second' }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)} className="numbers">
      {to === 'second' ? formatTime(date) : formatTime(date, clock)}
    </time>
  );
}
