import { Skeleton, Text } from '@mantine/core';
import type { CappedCountRecord, DestinationFigures } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FiguresTimePicker, useFiguresTime } from '../../components/figures-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatCapped, formatLatency } from '../../lib/format.ts';
import { lazily } from '../../lib/lazily.ts';
import { formatDelivered } from '../../lib/share.ts';
import classes from './destinations.module.css';

/** Charts are large: they come when a page first shows one. */
const SuccessChart = lazily(() => import('./success-chart.tsx'));

/** What became of the deliveries that were made within a time, and the attempts that failed over it. */
export function SuccessCard({ id }: { id: string }) {
  const time = useFiguresTime('page');
  const { minutes } = time;
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
      actions={<FiguresTimePicker time={time} />}
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
      {figures.data && <Figures id={id} within={time.name} figures={figures.data} />}
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
function Figures({ id, within, figures }: { id: string; within: string; figures: DestinationFigures }) {
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
          search={{ destination: id, state, within }}
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
