import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatCapped, formatNumber } from '../../lib/format.ts';
import { addCapped } from '../../lib/share.ts';
import classes from './strip.module.css';

/** What is wrong right now, in one line, each figure with the list behind it; nothing where nothing is. */
export function Strip({ overview: { wrong } }: { overview: OverviewRecord }) {
  const [first, second] = wrong;
  if (first === undefined) return null;
  const waiting = wrong.map(one => one.waiting).reduce(addCapped);
  const isOne = second === undefined;
  return (
    <div className={classes.strip} role="status">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        {partsOf(wrong).map(({ state, text }, n) => (
          <b key={state}>
            {n > 0 && ' · '}
            <Link to="/destinations" search={{ state }} className={classes.figure}>
              {text}
            </Link>
          </b>
        ))}
        {waiting.count > 0 && ' · '}
        {waiting.count > 0 && (
          // Of several there is no one list: the one of destinations has what waits for each.
          <Link
            {...(isOne
              ? { to: '/deliveries', search: { destination: first.id, state: 'open' } }
              : { to: '/destinations', search: { sort: '-backlog' } })}
            className={classes.figure}
          >
            {formatCapped(waiting)} waiting
          </Link>
        )}
      </span>
      <Link to={isOne ? `/destinations/${first.id}` : '/destinations'} className={classes.open}>
        Open
      </Link>
    </div>
  );
}

/** `2 destinations down`, `1 failing`: the first says of what. */
function partsOf(wrong: OverviewRecord['wrong']): { state: string; text: string }[] {
  const counts = (['down', 'failing'] as const)
    .map(state => ({ state, count: wrong.filter(one => one.state === state).length }))
    .filter(({ count }) => count > 0);
  return counts.map(({ state, count }, n) => {
    const noun = count === 1 ? 'destination' : 'destinations';
    return { state, text: `${formatNumber(count)} ${n === 0 ? `${noun} ` : ''}${state}` };
  });
}
