import { ScrollArea, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import classes from './trait-table.module.css';

/** Traits with their values, when each was written, and where that matters from whom. */
export function TraitTable(props: {
  traits: Readonly<Record<string, unknown>>;
  timeOf(trait: string): string | null;
  fromOf?(trait: string): ReactNode;
  /** Where a page has more than one. */
  label?: string;
}) {
  const names = Object.keys(props.traits);
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No traits.
      </Text>
    );
  }
  return (
    <ScrollArea.Autosize
      className={classes.frame}
      mah={420}
      type="auto"
      offsetScrollbars="y"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': props.label ?? 'Traits' }}
    >
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Trait</Table.Th>
            <Table.Th>Value</Table.Th>
            {props.fromOf && <Table.Th className={classes.from}>From</Table.Th>}
            <Table.Th>Updated</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map(name => (
            <Table.Tr key={name}>
              <Table.Td fw={600} className={classes.name}>
                {name}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <span className="mono">{stringifyExact(props.traits[name], 0)}</span>
                {props.fromOf && <div className={classes.below}>{props.fromOf(name)}</div>}
              </Table.Td>
              {props.fromOf && <Table.Td className={classes.from}>{props.fromOf(name)}</Table.Td>}
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <RelativeTime at={props.timeOf(name)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
