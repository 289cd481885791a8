import { Anchor, Group, SegmentedControl, Text } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatNumber } from '../../lib/format.ts';
import { useFilters } from '../../lib/use-filters.ts';

const trafficRanges = {
  '1h': { label: '1 h', minutes: 60 },
  '24h': { label: '24 h', minutes: 1_440 },
  '7d': { label: '7 d', minutes: 10_080 },
} as const;
type TrafficRange = keyof typeof trafficRanges;

/** How much came through a source within a time, and how much of it was rejected. */
export function TrafficCard({ source }: { source: SourceRecord }) {
  const [{ within }, change] = useFilters();
  const range: TrafficRange = within === '1h' || within === '7d' ? within : '24h';
  const { minutes } = trafficRanges[range];
  const { id } = source;
  const { data, error, refetch } = useCall(
    'GET /counters',
    { subject: id, names: 'received,rejected', minutes },
    { live: true, keep: true },
  );
  const { received = [], rejected = [] } = data?.series ?? {};
  return (
    <Card
      title="Traffic"
      actions={
        <SegmentedControl
          aria-label="Time"
          size="xs"
          value={range}
          onChange={value => change({ within: value === '24h' ? '' : value })}
          data={Object.entries(trafficRanges).map(([value, { label }]) => ({ value, label }))}
        />
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Group gap="lg" mb="xs">
        <Anchor
          size="sm"
          renderRoot={root => <Link to="/events" search={{ source: id, within: range }} {...root} />}
        >
          {formatNumber(sum(received))} received
        </Anchor>
        {source.kind === 'webhook' && <Text size="sm">{formatNumber(sum(rejected))} rejected</Text>}
      </Group>
      <Sparkline values={received} />
    </Card>
  );
}

const sum = (line: readonly number[]): number => line.reduce((total, amount) => total + amount, 0);
