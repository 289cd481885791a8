import type { EventSummary } from '@sluice/contract/dashboard-events';
import classes from './delivery-dots.module.css';

/** In this order, so that what needs a look stands last and is seen. */
const order = ['delivered', 'pending', 'delivering', 'held', 'retrying', 'dead'] as const;
/** More dots than this nobody tells apart. */
const MOST_DOTS = 7;

/** A dot for each delivery in the colour of its state, and how many have arrived: `6/7`. */
export function DeliveryDots({ states }: { states: EventSummary['delivery_states'] }) {
  const all = order.flatMap(state => new Array<string>(states[state] ?? 0).fill(state));
  if (all.length === 0) return <span className={classes.none}>–</span>;
  const delivered = states.delivered ?? 0;
  // The last ones are those that have not arrived.
  const dots = all.slice(-MOST_DOTS);
  const words = order.flatMap(state => (states[state] ? [`${states[state]} ${state}`] : [])).join(', ');
  return (
    <span className={classes.dots} title={words}>
      {dots.map((state, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a dot is known by its place alone
        <span key={n} className={classes.dot} data-state={state} aria-hidden />
      ))}
      <span className={`${classes.count} numbers`}>
        {delivered}/{all.length}
      </span>
    </span>
  );
}
