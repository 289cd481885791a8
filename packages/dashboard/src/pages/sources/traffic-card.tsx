import { Anchor, Group, Text } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FiguresTimePicker, useFiguresTime } from '../../components/figures-time.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatNumber } from '../../lib/format.ts';

/** How much came through a source within a time, and how much of it was rejected. */
export function TrafficCard({ source }: { source: SourceRecord }) {
  const time = useFiguresTime('page');
  const { id } = source;
  const { data, error, refetch } = useCall(
    'GET /counters',
    { subject: id, names: 'received,rejected', minutes: time.minutes },
    { live: true, keep: true },
  );
  const { received = [], rejected = [] } = data?.series ?? {};
  return (
    <Card title="Traffic" actions={<FiguresTimePicker time={time} />}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Group gap="lg" mb="xs">
        <Anchor
          size="sm"
          renderRoot={root => <Link to="/events" search={{ source: id, within: time.name }} {...root} />}
        >
          {formatNumber(sum(received))} received
        </Anchor>
        {source.kind === 'webhook' && <Text size="sm">{formatNumber(sum(rejected))} rejected</Text>}
      </Group>
      <Sparkline values={received} isOpen />
    </Card>
  );
}

const sum = (line: readonly number[]): number => line.reduce((total, amount) => total + amount, 0);
