import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A few facts, each with its name. */
export function Facts({ facts }: { facts: readonly [string, ReactNode][] }) {
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
