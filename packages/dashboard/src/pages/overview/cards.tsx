import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Sparkline } from '../../components/sparkline.tsx';
import { formatCapped, formatLatency, formatNumber } from '../../lib/format.ts';
import { addCapped, deliveredPercent, formatDelivered, isAtMost } from '../../lib/share.ts';
import classes from './cards.module.css';
import { type Change, changeOf } from './change.ts';
import { carriedOn, deliveredPercents } from './chart-rows.ts';
import { listedWithin, type Range } from './ranges.ts';

/** The four figures that say whether all is well, each with its way over time and how it was before. */
export function Cards({ overview, range }: { overview: OverviewRecord; range: Range }) {
  const { totals, series, present, failed_events, latency, before } = overview;
  const { received = [], dead = [] } = series;
  const undelivered = addCapped(present.dead, failed_events);
  const within = listedWithin(range);
  const isOpen = range.between === null;
  const receivedBefore = before && before.received * shareOver(overview, isOpen, Date.now());
  // What was not counted to its end may have changed by any amount.
  const comparable = before && !isAtMost(present) && !isAtMost(before.present) ? before : null;
  const failedBefore = before && addCapped(before.present.dead, before.failed_events);
  return (
    <nav className={classes.cards} aria-label="Key figures">
      <Card
        label="Received"
        value={formatNumber(totals.received)}
        change={changeOf(totals.received, nearest(totals.received, receivedBefore, before?.received ?? null))}
        to="/events"
        search={within}
        line={<Sparkline values={received} isOpen={isOpen} />}
      />
      <Card
        label="Delivered"
        value={formatDelivered(present)}
        change={changeOf(
          deliveredPercent(present),
          comparable && deliveredPercent(comparable.present),
          'points',
        )}
        to="/deliveries"
        search={{ state: 'delivered', ...within }}
        line={<Sparkline values={deliveredPercents(overview)} />}
      />
      <Card
        label="p95 latency"
        value={formatLatency(latency.p95_ms)}
        change={changeOf(latency.p95_ms, before?.p95_ms ?? null, 'share', 'less')}
        to="/deliveries"
        search={{ state: 'delivered', ...within }}
        line={<Sparkline values={carriedOn(latency.series.p95)} />}
      />
      <Card
        label="Undelivered"
        value={formatCapped(undelivered)}
        isBad={undelivered.count > 0}
        change={
          undelivered.more || failedBefore === null || failedBefore.more
            ? null
            : changeOf(undelivered.count, failedBefore.count, 'amount', 'less')
        }
        to="/dead-letters"
        search={within}
        line={<Sparkline values={dead.map((n, i) => n + (failed_events.counts[i] ?? 0))} isBad />}
      />
    </nav>
  );
}

/** How much of the time that is shown is over; up to now all but some of the last step. */
function shareOver(overview: OverviewRecord, isUpToNow: boolean, now: number): number {
  const { from, step_s, series } = overview;
  const length = series.received?.length ?? 1;
  const steps = (now - Date.parse(from)) / 1_000 / step_s;
  return Math.min(length, Math.max(isUpToNow ? length - 1 : 0, steps)) / length;
}

/** Between what had come by this time and what came in all nothing has changed: few come in no steady stream. */
const nearest = (now: number, byThisTime: number | null, inAll: number | null): number | null =>
  byThisTime === null || inAll === null ? null : Math.min(inAll, Math.max(byThisTime, now));

function Card(props: {
  label: string;
  value: string;
  change: Change | null;
  isBad?: boolean;
  to: string;
  search: Record<string, string>;
  line: ReactNode;
}) {
  return (
    <Link to={props.to} search={props.search} className={classes.card}>
      <span className={classes.label}>{props.label}</span>
      <span className={`${classes.value} numbers`} data-bad={props.isBad || undefined}>
        {props.value}
      </span>
      {props.change && (
        <span
          className={`${classes.change} numbers`}
          data-tone={props.change.tone}
          title="Compared with the previous period"
        >
          {props.change.text}
        </span>
      )}
      <span className={classes.line}>{props.line}</span>
    </Link>
  );
}
