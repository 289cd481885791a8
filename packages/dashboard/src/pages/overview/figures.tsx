import { Text } from '@mantine/core';
import type { CappedCountRecord, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { formatCapped, formatLatency } from '../../lib/format.ts';
import classes from './overview.module.css';
import { listedWithin, type Range } from './ranges.ts';

/** How quick it is, how much waits, and how much did not arrive. */
export function Figures({ overview, range }: { overview: OverviewRecord; range: Range }) {
  const { latency, backlog, present, failed_events } = overview;
  const within = listedWithin(range);
  return (
    <div className={classes.figures}>
      <Card title="Delivery latency" lead="From received to delivered">
        <Figure label="p50" value={formatLatency(latency.p50_ms)} />
        <Figure label="p95" value={formatLatency(latency.p95_ms)} />
        <Figure label="p99" value={formatLatency(latency.p99_ms)} />
      </Card>
      <Card title="Backlog" lead="Right now, regardless of the time range">
        <Linked to="/events" search={{ state: 'accepted' }} label="Unprocessed" of={backlog.accepted} />
        <Linked to="/deliveries" search={{ state: 'pending' }} label="Pending" of={backlog.pending} />
        <Linked to="/deliveries" search={{ state: 'retrying' }} label="Retrying" of={backlog.retrying} />
        <Linked to="/deliveries" search={{ state: 'held' }} label="Held" of={backlog.held} />
      </Card>
      <Card title="Undelivered" lead="Dead letters of this period">
        <Linked
          to="/dead-letters"
          search={{ kind: 'delivery', ...within }}
          label="Dead deliveries"
          of={present.dead}
          isBad
        />
        <Linked
          to="/dead-letters"
          search={{ kind: 'event', ...within }}
          label="Failed events"
          of={failed_events}
          isBad
        />
      </Card>
    </div>
  );
}

function Figure({ label, value, isBad = false }: { label: ReactNode; value: string; isBad?: boolean }) {
  return (
    <div className={classes.figure} data-bad={isBad || undefined}>
      <Text size="sm" c="dimmed" component="span">
        {label}
      </Text>
      <span className={`${classes.value} numbers`}>{value}</span>
    </div>
  );
}

function Linked(props: {
  to: string;
  search?: Record<string, string>;
  label: string;
  of: CappedCountRecord;
  isBad?: boolean;
}) {
  const label = (
    <Link to={props.to} search={props.search ?? {}} className={classes.figureLink}>
      {props.label}
    </Link>
  );
  return (
    <Figure label={label} value={formatCapped(props.of)} isBad={props.isBad === true && props.of.count > 0} />
  );
}
