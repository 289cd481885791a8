import { Table, Text } from '@mantine/core';
import type { NodesRecord } from '@sluice/contract/dashboard-nodes';
import { Card } from '../../components/card.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatNumber } from '../../lib/format.ts';
import { DatabaseCard } from './database-card.tsx';

/** What each node is and does, and the database that they share: for the operator's organisation. */
export function NodesCard() {
  const fleet = useCall('GET /nodes', {}, { live: true });
  if (!fleet.data) return <PartWaiting reads={[fleet]} />;
  const { nodes, database } = fleet.data;
  return (
    <>
      <Card
        title="Nodes"
        lead="All nodes of this installation. Visible only to your organisation, the first one created."
      >
        <WideTable label="Nodes">
          <Table verticalSpacing="xs" aria-label="Nodes">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Node</Table.Th>
                <Table.Th>Version</Table.Th>
                <Table.Th>Since</Table.Th>
                <Table.Th>Last seen</Table.Th>
                <Table.Th>Accepts</Table.Th>
                <Table.Th>Processes</Table.Th>
                <Table.Th>Delivers</Table.Th>
                <Table.Th>Claimed</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {nodes.map(node => (
                <NodeRow key={node.id} node={node} />
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      </Card>
      {database && <DatabaseCard database={database} />}
    </>
  );
}

function NodeRow({ node }: { node: NodesRecord['nodes'][number] }) {
  const { per_second, claimed } = node;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {node.host || node.id}
        {node.is_this_one && (
          <Text span size="xs" c="dimmed">
            {' '}
            this node
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {node.roles.join(', ')}
        </Text>
      </Table.Th>
      <Table.Td className="numbers">{node.version || 'a former one'}</Table.Td>
      <Table.Td>{node.since === null ? '–' : <RelativeTime at={node.since} />}</Table.Td>
      <Table.Td>
        <RelativeTime at={node.last_heard_at} />
      </Table.Td>
      <Table.Td className="numbers">{formatRate(per_second.accepted)}</Table.Td>
      <Table.Td className="numbers">{formatRate(per_second.processed)}</Table.Td>
      <Table.Td className="numbers">{formatRate(per_second.delivered)}</Table.Td>
      <Table.Td>{formatClaims(claimed)}</Table.Td>
    </Table.Tr>
  );
}

const formatRate = (perSecond: number): string =>
  `${perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : formatNumber(Math.round(perSecond))}/s`;

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${formatNumber(count)} ${count === 1 ? one : many}`];

function formatClaims({ events, deliveries, jobs }: NodesRecord['nodes'][number]['claimed']): string {
  const claims = [
    ...counted(events, 'event', 'events'),
    ...counted(deliveries, 'delivery', 'deliveries'),
    ...counted(jobs, 'job', 'jobs'),
  ];
  return claims.length === 0 ? 'nothing' : claims.join(', ');
}
