import { Table, Text } from '@mantine/core';
import type { CappedCountRecord, FailingDestination } from '@sluice/contract/dashboard-overview';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { formatCapped, formatNumber } from '../../lib/format.ts';
import classes from './overview.module.css';
import { listedWithin, type Range } from './ranges.ts';

/** Destinations that do not take what they are sent. */
export function Failing(props: { destinations: readonly FailingDestination[]; range: Range }) {
  const within = listedWithin(props.range);
  return (
    <Card
      title="Recent failures"
      lead="Destinations that are down, or that failed in the last 10 minutes. Failed attempts cover those 10 minutes, the backlog is current, and the other columns cover the selected range."
    >
      <Table.ScrollContainer minWidth={480}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Destination</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th className={classes.right ?? ''}>Failed attempts</Table.Th>
              <Table.Th className={classes.right ?? ''}>Backlog</Table.Th>
              <Table.Th className={classes.right ?? ''}>Dead</Table.Th>
              <Table.Th className={classes.right ?? ''}>Delivered</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {props.destinations.map(({ id, name, kind, state, failed, waiting, dead, delivered }) => (
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
                <Table.Td className={`${classes.right} numbers`}>{formatNumber(failed)}</Table.Td>
                <Linked to="/deliveries" search={{ destination: id, state: 'open' }} of={waiting} />
                <Linked
                  to="/dead-letters"
                  search={{ kind: 'delivery', destination: id, ...within }}
                  of={dead}
                />
                <Linked
                  to="/deliveries"
                  search={{ destination: id, state: 'delivered', ...within }}
                  of={{ count: delivered, more: false }}
                />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

/** A figure that leads to the list that is as long. */
function Linked({ of, ...way }: { to: string; search: Record<string, string>; of: CappedCountRecord }) {
  return (
    <Table.Td className={`${classes.right} numbers`}>
      <Link {...way} className={classes.figureLink}>
        {formatCapped(of)}
      </Link>
    </Table.Td>
  );
}
