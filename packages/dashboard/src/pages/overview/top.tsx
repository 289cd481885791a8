import type { ErrorGroup, TopRecord } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatCapped, formatNumber } from '../../lib/format.ts';
import { describeRange, listedWithin, queryOfRange, type Range } from './ranges.ts';
import classes from './top.module.css';

/** What came most often and what failed most often, each with the list behind it. */
export default function Top({ range }: { range: Range }) {
  const top = useCall('GET /overview/top', queryOfRange(range), { live: true, keep: true });
  if (top.error) return <ErrorNotice error={top.error} onRetry={() => void top.refetch()} />;
  if (!top.data) return <Loading />;
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
    <Card title="Top event types" lead={`Received within ${describeRange(range)}`}>
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
          <li key={`${error.state} ${error.at.id} ${error.code}`}>
            <Link {...listBehind(error, range)} className={classes.row}>
              <span className={classes.why}>
                <span className={classes.name}>
                  {error.at.name} {error.code && <span className="mono">{error.code}</span>}
                </span>
                <span className={classes.message}>
                  {[error.status, error.message].filter(part => part !== null).join(' · ')}
                </span>
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

function listBehind({ state, at, code }: ErrorGroup, range: Range) {
  const within = listedWithin(range);
  if (state === 'failed')
    return { to: '/dead-letters', search: { kind: 'event', pipeline: at.id, ...within } };
  const where = { destination: at.id, ...(code === null ? {} : { code }), ...within };
  return state === 'dead'
    ? { to: '/dead-letters', search: { kind: 'delivery', ...where } }
    : { to: '/deliveries', search: { state: 'retrying', ...where } };
}
