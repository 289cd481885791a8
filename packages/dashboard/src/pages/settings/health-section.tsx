import { Alert, Stack, Table, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatCapped } from '../../lib/format.ts';

const engines = { sqlite: 'SQLite, embedded', postgres: 'PostgreSQL' } as const;
const SCARCE_BYTES = 1024 ** 3;

/** Whether the service can do its work, and how much lies before it. */
export function HealthSection() {
  const health = useCall('GET /health', {}, { live: true });
  if (health.error) return <ErrorNotice error={health.error} onRetry={() => void health.refetch()} />;
  if (!health.data) return <Loading />;
  const { version, started_at, storage, nodes, roles, backlog } = health.data;
  const isScarce = storage.free_bytes !== null && storage.free_bytes < SCARCE_BYTES;

  return (
    <Stack gap="md">
      {!storage.can_write && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
          Storage cannot be written, so events are refused with 503 and senders try again.{' '}
          {storage.problem ?? ''}
        </Alert>
      )}
      {storage.can_write && isScarce && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />}>
          Little room is left on the disk. Once it is full, events are refused until there is room again.
        </Alert>
      )}
      <Card title="Health">
        <Facts
          facts={[
            ['Version', version],
            ['Running since', <RelativeTime key="since" at={started_at} />],
            [
              'Storage',
              `${engines[storage.engine]}, ${storage.can_write ? 'takes writes' : 'takes no writes'}`,
            ],
            ['Size', formatBytes(storage.bytes)],
            ['Room on its disk', storage.free_bytes === null ? 'elsewhere' : formatBytes(storage.free_bytes)],
            ['Nodes', nodes],
            ['This node does', roles.join(', ')],
          ]}
        />
      </Card>
      <Card title="Backlog" lead="Of this organisation: what has come in and is not through yet.">
        <Facts
          facts={[
            ['To be run through pipelines', formatCapped(backlog.accepted)],
            ['To be delivered', formatCapped(backlog.pending)],
            ['To be tried again', formatCapped(backlog.retrying)],
            ['Held by paused destinations', formatCapped(backlog.held)],
          ]}
        />
      </Card>
      <Text size="xs" c="dimmed">
        For monitoring from outside there are /healthz, /readyz and /metrics.
      </Text>
    </Stack>
  );
}

function Facts({ facts }: { facts: readonly [string, ReactNode][] }) {
  return (
    <Table withRowBorders={false} verticalSpacing={4} layout="fixed">
      <Table.Tbody>
        {facts.map(([name, fact]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={500}>
              {name}
            </Table.Th>
            <Table.Td className="numbers">{fact}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
