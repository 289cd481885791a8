import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { lazily } from '../../lib/lazily.ts';
import { describeSuccess } from './success-summary.ts';

/** Charts are large: they come when a page first shows one. */
const SuccessChart = lazily(() => import('./success-chart.tsx'));

const ranges = [
  { value: '60', label: 'Hour' },
  { value: '1440', label: 'Day' },
  { value: '10080', label: 'Week' },
];

/** How it went lately: what arrived, and tries that failed. */
export function SuccessCard({ id }: { id: string }) {
  const [minutes, setMinutes] = useState('1440');
  const asked = { subject: id, names: 'delivered,failed,dead', minutes };
  const { data, error, refetch } = useCall('GET /counters', asked, { live: true, keep: true });
  const words = data && describeSuccess(data.series);
  return (
    <Card
      title="Success over time"
      lead={data && (words ?? 'Nothing was sent to it in this time.')}
      actions={
        <SegmentedControl aria-label="Time" size="xs" value={minutes} onChange={setMinutes} data={ranges} />
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {words && data && (
        <Suspense fallback={<Skeleton height={180} />}>
          <SuccessChart counters={data} />
        </Suspense>
      )}
      {!data && !error && <Text size="sm">…</Text>}
    </Card>
  );
}
