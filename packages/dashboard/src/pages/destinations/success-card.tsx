import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import type { CappedCountRecord, DestinationFigures } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatCapped, formatLatency } from '../../lib/format.ts';
import { lazily } from '../../lib/lazily.ts';
import { formatDelivered } from '../../lib/share.ts';
import classes from './destinations.module.css';

/** Charts are large: they come when a page first shows one. */
const SuccessChart = lazily(() => import('./success-chart.tsx'));

const ranges = {
  '1h': { label: '1 h', minutes: 60 },
  '24h': { label: '24 h', minutes: 1_440 },
  '7d': { label: '7 d', minutes: 10_080 },
  '30d': { label: '30 d', minutes: 43_200 },
} as const;
type RangeName = keyof typeof ranges;

/** What became of the deliveries that were made within a time, and the attempts that failed over it. */
export function SuccessCard({ id }: { id: string }) {
  const [range, setRange] = useState<RangeName>('24h');
  const { minutes } = ranges[range];
  const figures = useCall('GET /destinations/:id/figures', { id, minutes }, { live: true, keep: true });
  const counters = useCall(
    'GET /counters',
    { subject: id, names: 'delivered,failed', minutes },
    { live: true, keep: true },
  );
  const error = figures.error ?? counters.error;
  const isQuiet = Object.values(counters.data?.series ?? {}).every(line => line.every(n => n === 0));
  return (
    <Card
      title="Deliveries"
      lead={
        figures.data &&
        `${formatDelivered(figures.data)} delivered · p95 ${formatLatency(figures.data.p95_ms)}`
      }
      actions={
        <SegmentedControl
          aria-label="Time"
          size="xs"
          value={range}
          onChange={value => setRange(value as RangeName)}
          data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
        />
      }
    >
      {error && (
        <ErrorNotice
          error={error}
          onRetry={() => {
            void figures.refetch();
            void counters.refetch();
          }}
        />
      )}
      {figures.data && <Figures id={id} range={range} figures={figures.data} />}
      {counters.data && !isQuiet && (
        <Suspense fallback={<Skeleton height={180} />}>
          <SuccessChart counters={counters.data} />
        </Suspense>
      )}
      {!figures.data && !error && <Text size="sm">…</Text>}
    </Card>
  );
}

/** Each leads to the list that it counts. */
function Figures({ id, range, figures }: { id: string; range: RangeName; figures: DestinationFigures }) {
  const { delivered, waiting, retrying, held, dead } = figures;
  const shown: readonly (readonly [string, string, CappedCountRecord])[] = [
    ['delivered', 'Delivered', { count: delivered, more: false }],
    ['waiting', 'Waiting', waiting],
    ['retrying', 'Retrying', retrying],
    ['held', 'Held', held],
    ['dead', 'Dead', dead],
  ];
  return (
    <nav className={classes.present} aria-label="Deliveries by state">
      {shown.map(([state, label, amount]) => (
        <Link
          key={state}
          to="/deliveries"
          search={{ destination: id, state, within: range }}
          className={classes.presentState}
          data-state={state}
          data-none={amount.count === 0 || undefined}
        >
          <span>{label}</span>
          <b className="numbers">{formatCapped(amount)}</b>
        </Link>
      ))}
    </nav>
  );
}
