import { dayOfYear, formatWithZone, isToday, timeFormat } from '../lib/time-display.ts';
import classes from './list-time.module.css';

const clock = timeFormat({ timeStyle: 'medium' });

/**
 * The time of the day, with the date where that is another one: above it where there is little room, so that nothing of
 * either is cut. A list has many: they are texts that stand still.
 */
export function ListTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatWithZone(date)} className={`${classes.time} numbers`}>
      {!isToday(date) && <span className={classes.day}>{dayOfYear.format(date)}</span>}
      <span>{clock.format(date)}</span>
    </time>
  );
}
