import { Badge, Group, Table, Text, VisuallyHidden } from '@mantine/core';
import type { OwnSessionRecord } from '@sluice/contract/dashboard-own-account';
import { Card } from '../../components/card.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { useAll, useChange } from '../../lib/api/use-call.ts';
import { browserName } from './browser-name.ts';

/** Where one is logged in, and how to end that. */
export function SessionsCard() {
  const sessions = useAll('GET /account/sessions');
  const endOthers = useChange('DELETE /account/sessions');
  const hasOthers = sessions.data?.some(({ current }) => !current);
  return (
    <Card
      title="Sessions"
      lead="Where you are logged in. Sessions end automatically after 14 days."
      actions={
        hasOthers && (
          <ConfirmButton
            label="End all other sessions"
            question="You are logged out everywhere but here."
            act="End sessions"
            onConfirm={() => endOthers.mutateAsync({})}
            button={{ size: 'compact-sm' }}
          />
        )
      }
    >
      {sessions.error && <ErrorNotice error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.isPending && <Loading />}
      {sessions.data && <SessionTable sessions={sessions.data} />}
    </Card>
  );
}

function SessionTable({ sessions }: { sessions: readonly OwnSessionRecord[] }) {
  const end = useChange('DELETE /account/sessions/:id');
  const ordered = sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <WideTable label="Sessions">
      <Table verticalSpacing="xs" aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Browser</Table.Th>
            <Table.Th visibleFrom="sm">Address</Table.Th>
            <Table.Th visibleFrom="sm">Started</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ordered.map(({ id, user_agent, address, started_at, last_used_at, current }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Group gap="xs">
                  <span title={user_agent ?? undefined}>{browserName(user_agent)}</span>
                  {current && (
                    <Badge color="green" variant="light" tt="none">
                      this session
                    </Badge>
                  )}
                </Group>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {address}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{address ?? 'unknown'}</Table.Td>
              <Table.Td visibleFrom="sm">
                <RelativeTime at={started_at} />
              </Table.Td>
              <Table.Td>
                <RelativeTime at={last_used_at ?? started_at} />
              </Table.Td>
              <Table.Td ta="right">
                {!current && (
                  <ConfirmButton
                    label="End"
                    question={`${browserName(user_agent)} is logged out immediately.`}
                    act="End session"
                    onConfirm={() => end.mutateAsync({ id })}
                    button={{ size: 'compact-sm' }}
                  />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
