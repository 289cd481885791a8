import classes from './list-time.module.css';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/**
 * The time of the day, with the date where that is another one: above it where there is little room, so that nothing of
 * either is cut. A list has many: they are texts that stand still.
 */
export function ListTime({ at }: { at: string }) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={exact.format(date)} className={`${classes.time} numbers`}>
      {!isToday && <span className={classes.day}>{day.format(date)}</span>}
      <span>{clock.format(date)}</span>
    </time>
  );
}
