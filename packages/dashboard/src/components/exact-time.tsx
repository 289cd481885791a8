const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hour12: false,
});
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** A moment to the millisecond, for what is compared with other machines' logs; with the day where that is another. */
export function ExactTime({ at }: { at: string }) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={exact.format(date)} className="numbers">
      {isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`}
    </time>
  );
}
