import type { ErrorGroup, TopRecord } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatCapped, formatNumber } from '../../lib/format.ts';
import { describeRange, listedWithin, queryOfRange, type Range } from './ranges.ts';
import classes from './top.module.css';

/** What came most often and what failed most often, each with the list behind it. */
export default function Top({ range }: { range: Range }) {
  const top = useCall('GET /overview/top', queryOfRange(range), { live: true, keep: true });
  if (!top.data) return <PartWaiting reads={[top]} />;
  return (
    <div className={classes.tops}>
      <TopTypes top={top.data} range={range} />
      <TopErrors errors={top.data.errors} range={range} />
    </div>
  );
}

function TopTypes({ top: { types, other_types }, range }: { top: TopRecord; range: Range }) {
  const most = Math.max(1, other_types, ...types.map(({ count }) => count));
  const bar = (count: number) => (
    <span className={classes.bar} style={{ width: `${(count / most) * 100}%` }} aria-hidden />
  );
  return (
    <Card title="Top event types" lead={`Received ${describeRange(range)}`}>
      {types.length === 0 && other_types === 0 && <p className={classes.none}>No events</p>}
      <ol className={classes.list} aria-label="Top event types">
        {types.map(({ type, count }) => (
          <li key={type}>
            <Link to="/events" search={{ type, ...listedWithin(range) }} className={classes.row}>
              {bar(count)}
              <span className={classes.name}>{type}</span>
              <span className={`${classes.count} numbers`}>{formatNumber(count)}</span>
            </Link>
          </li>
        ))}
        {other_types > 0 && (
          <li className={classes.row} data-other>
            {bar(other_types)}
            <span className={classes.name}>Other types</span>
            <span className={`${classes.count} numbers`}>{formatNumber(other_types)}</span>
          </li>
        )}
      </ol>
    </Card>
  );
}

function TopErrors({ errors, range }: { errors: readonly ErrorGroup[]; range: Range }) {
  return (
    <Card
      title="Top errors"
      lead="Deliveries that are dead or retrying, and events that failed in a pipeline"
    >
      {errors.length === 0 && <p className={classes.none}>No errors</p>}
      <ol className={classes.list} aria-label="Top errors">
        {errors.map(error => (
          <li key={keyOf(error)}>
            <Link {...listBehind(error, range)} className={classes.row}>
              <span className={classes.why}>
                <span className={classes.name}>
                  {error.at.name} <span className="mono">{whyOf(error)}</span>
                </span>
                <span className={classes.message}>{error.message}</span>
              </span>
              <StateBadge state={error.state} />
              <span className={`${classes.count} numbers`}>{formatCapped(error.count)}</span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const keyOf = ({ state, at, code, status, step, message }: ErrorGroup): string =>
  [state, at.id, code, status, step, state === 'failed' && message].join('\n');

/** The code and the status, or the step. */
function whyOf({ state, code, status, step }: ErrorGroup): string {
  if (state === 'failed') return step === null ? '' : `step ${step + 1}`;
  return [code, status].filter(part => part !== null).join(' ');
}

const orNone = (value: number | null): string => (value === null ? 'none' : String(value));

/** By all that the group is told apart by, so that so many are listed as are counted. */
function listBehind({ state, at, code, status, step, message }: ErrorGroup, range: Range) {
  const within = listedWithin(range);
  if (state === 'failed') {
    const reason = message === null ? {} : { reason: message };
    return {
      to: '/dead-letters',
      search: { kind: 'event', pipeline: at.id, step: orNone(step), ...reason, ...within },
    };
  }
  const why = { status: orNone(status), ...(code === null ? {} : { code }) };
  const where = { destination: at.id, ...why, ...within };
  return state === 'dead'
    ? { to: '/dead-letters', search: { kind: 'delivery', ...where } }
    : { to: '/deliveries', search: { state: 'retrying', ...where } };
}
