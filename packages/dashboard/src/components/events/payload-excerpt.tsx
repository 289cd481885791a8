import type { EventSummary } from '@sluice/contract/dashboard-events';
import classes from './payload-excerpt.module.css';

/** A piece of a payload, with the text that was searched for marked. */
export function PayloadExcerpt({ excerpt }: { excerpt: EventSummary['excerpt'] }) {
  if (excerpt === undefined) return '–';
  const { before, hit, after } = excerpt;
  return (
    <span className={`mono ${classes.excerpt}`} title={`${before}${hit}${after}`}>
      {/* What was found is seen, however narrow the column is: what stands before it is cut first. */}
      {hit === '' ? before : shortEnd(before)}
      {hit !== '' && <mark className={classes.hit}>{hit}</mark>}
      {after}
    </span>
  );
}

const SHOWN_BEFORE = 12;

const shortEnd = (text: string): string =>
  text.length <= SHOWN_BEFORE ? text : `…${text.slice(-SHOWN_BEFORE).toWellFormed()}`;
