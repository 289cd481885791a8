import { Text } from '@mantine/core';
import type { CappedCountRecord, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { formatCapped, formatDuration } from '../../lib/format.ts';
import classes from './overview.module.css';

/** How quick it is, how much waits, and how much did not arrive. */
export function Figures({ overview: { latency, backlog, dead_letters } }: { overview: OverviewRecord }) {
  return (
    <div className={classes.figures}>
      <Card title="From accepted to delivered">
        <Figure label="Half of them within" value={formatDuration(latency.p50_ms)} />
        <Figure label="95 % within" value={formatDuration(latency.p95_ms)} />
      </Card>
      <Card title="Waiting now">
        <Linked
          to="/events"
          search={{ state: 'accepted' }}
          label="Events for their pipelines"
          of={backlog.accepted}
        />
        <Linked to="/deliveries" search={{ state: 'pending' }} label="Deliveries" of={backlog.pending} />
        <Linked
          to="/deliveries"
          search={{ state: 'retrying' }}
          label="Deliveries to retry"
          of={backlog.retrying}
        />
        <Linked to="/deliveries" search={{ state: 'held' }} label="Held by a pause" of={backlog.held} />
      </Card>
      <Card title="Not arrived">
        <Linked
          to="/dead-letters"
          search={{ kind: 'delivery' }}
          label="Dead deliveries"
          of={dead_letters.deliveries}
          isBad
        />
        <Linked
          to="/dead-letters"
          search={{ kind: 'event' }}
          label="Events that failed"
          of={dead_letters.events}
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
