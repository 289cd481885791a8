import { Table, Text } from '@mantine/core';
import type { FailingDestination } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { formatCapped, formatNumber } from '../../lib/format.ts';
import classes from './overview.module.css';

/** Destinations that do not take what they are sent. */
export function Failing({ destinations }: { destinations: readonly FailingDestination[] }) {
  return (
    <Card
      title="Recent failures"
      lead="Destinations with failed attempts within the last 10 minutes, and those that are down"
    >
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Destination</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th className={classes.right ?? ''}>Failed attempts</Table.Th>
              <Table.Th className={classes.right ?? ''}>Waiting</Table.Th>
              <Table.Th className={classes.right ?? ''}>Retrying</Table.Th>
              <Table.Th className={classes.right ?? ''}>Dead</Table.Th>
              <Table.Th className={classes.right ?? ''}>Delivered</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {destinations.map(({ id, name, kind, state, ...figures }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Link to="/destinations/$id" params={{ id }} className={classes.name}>
                    {name}
                  </Link>
                  <Text size="xs" c="dimmed">
                    {kind}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <StateBadge state={state === 'active' ? 'recovered' : state} />
                </Table.Td>
                {Object.entries(shownOf(figures)).map(([name, amount]) => (
                  <Table.Td key={name} className={`${classes.right} numbers`}>
                    {amount}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

type Figures = Pick<FailingDestination, 'failed' | 'waiting' | 'retrying' | 'dead' | 'delivered'>;

/** In the order of the columns. */
const shownOf = ({ failed, waiting, retrying, dead, delivered }: Figures) => ({
  failed: formatNumber(failed),
  waiting: formatCapped(waiting),
  retrying: formatCapped(retrying),
  dead: formatCapped(dead),
  delivered: formatNumber(delivered),
});
