import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Card } from '../../components/card.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatBytes, formatCapped } from '../../lib/format.ts';
import { Facts } from './facts.tsx';
import { NodesCard } from './nodes-card.tsx';

const engines = { sqlite: 'SQLite, embedded', postgres: 'PostgreSQL' } as const;
const SCARCE_BYTES = 1024 ** 3;

/** Whether the service can do its work, and how much lies before it. */
export function HealthSection() {
  const health = useCall('GET /health', {}, { live: true });
  if (!health.data) return <PartWaiting reads={[health]} />;
  const { version, started_at, storage, nodes, shows_nodes, roles, backlog } = health.data;
  const isScarce = storage.free_bytes !== null && storage.free_bytes < SCARCE_BYTES;

  return (
    <Stack gap="md">
      {!storage.can_write && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
          Storage cannot be written, so events are refused with 503 and senders retry. {storage.problem ?? ''}
        </Alert>
      )}
      {storage.can_write && isScarce && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />}>
          Disk space is low. Once the disk is full, events are refused until there is space again.
        </Alert>
      )}
      <Card title="Health">
        <Facts
          facts={[
            ['Version', version],
            ['Running since', <RelativeTime key="since" at={started_at} />],
            ['Storage', `${engines[storage.engine]}, ${storage.can_write ? 'writable' : 'not writable'}`],
            ['Size', formatBytes(storage.bytes)],
            [
              'Free disk space',
              storage.free_bytes === null ? 'on another machine' : formatBytes(storage.free_bytes),
            ],
            ['Nodes', nodes],
            ['Roles of this node', roles.join(', ')],
          ]}
        />
      </Card>
      {shows_nodes && <NodesCard />}
      <Card title="Backlog" lead="What this organisation has received and not finished yet.">
        <Facts
          facts={[
            ['Unprocessed', formatCapped(backlog.accepted)],
            ['Pending', formatCapped(backlog.pending)],
            ['Retrying', formatCapped(backlog.retrying)],
            ['Held', formatCapped(backlog.held)],
          ]}
        />
      </Card>
      <Text size="xs" c="dimmed">
        For external monitoring, use /healthz, /readyz and /metrics.
      </Text>
    </Stack>
  );
}
