import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Sparkline } from '../../components/sparkline.tsx';
import { formatCapped, formatDuration, formatNumber } from '../../lib/format.ts';
import { addCapped, deliveredPercent, formatDelivered } from '../../lib/share.ts';
import classes from './cards.module.css';
import { type Change, changeOf } from './change.ts';
import { deliveredPercents } from './chart-rows.ts';
import { listedWithin, type Range } from './ranges.ts';

/** The four figures that say whether all is well, each with its way over time and how it was before. */
export function Cards({ overview, range }: { overview: OverviewRecord; range: Range }) {
  const { totals, series, present, failed_events, latency, before } = overview;
  const { received = [], dead = [], failed = [] } = series;
  const undelivered = addCapped(present.dead, failed_events);
  const undeliveredBefore = before && addCapped(before.present.dead, before.failed_events).count;
  const within = listedWithin(range);
  return (
    <nav className={classes.cards} aria-label="Key figures">
      <Card
        label="Received"
        value={formatNumber(totals.received)}
        change={changeOf(totals.received, before?.received ?? null)}
        to="/events"
        search={within}
        line={<Sparkline values={received} />}
      />
      <Card
        label="Delivered"
        value={formatDelivered(present)}
        change={changeOf(deliveredPercent(present), before && deliveredPercent(before.present), 'points')}
        to="/deliveries"
        search={{ state: 'delivered', ...within }}
        line={<Sparkline values={deliveredPercents(overview)} />}
      />
      <Card
        label="p95 latency"
        value={formatDuration(latency.p95_ms)}
        change={changeOf(latency.p95_ms, before?.p95_ms ?? null, 'share', 'less')}
        to="/deliveries"
        search={{ state: 'delivered', ...within }}
        line={<Sparkline values={latency.series.p95} />}
      />
      <Card
        label="Undelivered"
        value={formatCapped(undelivered)}
        isBad={undelivered.count > 0}
        change={changeOf(undelivered.count, undeliveredBefore, 'amount', 'less')}
        to="/dead-letters"
        search={within}
        line={<Sparkline values={dead.map((n, i) => n + (failed[i] ?? 0))} isBad />}
      />
    </nav>
  );
}

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
