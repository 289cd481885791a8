import { Alert, Stack, Table, Text } from '@mantine/core';
import type { NodesRecord } from '@sluice/contract/dashboard-nodes';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Card } from '../../components/card.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { Facts } from './facts.tsx';

type Database = NonNullable<NodesRecord['database']>;
type Standby = NonNullable<Database['standbys']>[number];

/** Which server is written to, and how those do that follow it. */
export function DatabaseCard({ database }: { database: Database }) {
  const { primary, version, role, waits_for, connected, standbys } = database;
  const inQuorum = standbys?.filter(standby => standby.in_quorum).length;
  return (
    <Card title="PostgreSQL" lead="The primary, and the standbys that have what it has committed.">
      <Stack gap="sm">
        {inQuorum !== undefined && inQuorum < waits_for && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
            A commit waits for {waits_for}, but only {inQuorum} can respond: events are refused with 503 until
            another standby is back.
          </Alert>
        )}
        <Facts
          facts={[
            ['Primary', primary],
            ['Version', version],
            ['A commit waits for', waits_for === 0 ? 'no standby' : plural(waits_for)],
            ['In the quorum', inQuorum === undefined ? 'not shown to this role' : plural(inQuorum)],
            ['Connected', plural(connected)],
          ]}
        />
        {standbys === null && connected > 0 && (
          <Text size="sm" c="dimmed">
            The role {role} may not see their state. An administrator of the database can allow that: GRANT
            pg_read_all_stats TO {role}
          </Text>
        )}
        {standbys !== null && standbys.length > 0 && <Standbys standbys={standbys} />}
      </Stack>
    </Card>
  );
}

const plural = (count: number): string => `${count} ${count === 1 ? 'standby' : 'standbys'}`;

function Standbys({ standbys }: { standbys: readonly Standby[] }) {
  return (
    <WideTable label="Standbys">
      <Table verticalSpacing="xs" aria-label="Standbys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Standby</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>In the quorum</Table.Th>
            <Table.Th>Behind</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {standbys.map(standby => (
            <Table.Tr key={`${standby.name} ${standby.address}`}>
              <Table.Th scope="row" fw={500}>
                {standby.name}
                {standby.address !== null && (
                  <Text size="xs" c="dimmed">
                    {standby.address}
                  </Text>
                )}
              </Table.Th>
              <Table.Td>{standby.state}</Table.Td>
              <Table.Td>{standby.in_quorum ? 'yes' : 'no'}</Table.Td>
              <Table.Td className="numbers">{formatBehind(standby)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function formatBehind({ behind_bytes, behind_ms }: Standby): string {
  if (behind_bytes === null) return 'not known yet';
  if (behind_bytes <= 0) return 'nothing';
  return behind_ms === null
    ? formatBytes(behind_bytes)
    : `${formatBytes(behind_bytes)}, ${formatDuration(behind_ms)}`;
}
