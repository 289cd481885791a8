import { Group, Select, Table, Text, VisuallyHidden } from '@mantine/core';
import type { MemberRecord } from '@sluice/contract/dashboard-accounts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { useMay, useSession } from '../../lib/session.tsx';
import { mayTouch, rolesToGive } from './roles.ts';
import classes from './settings.module.css';

/** Members and invitations in one table, each with the role that may be changed. */
export function MemberTable({ members }: { members: readonly MemberRecord[] }) {
  const may = useMay();
  const { user } = useSession();
  const setRole = useChange('PATCH /members/:id');
  const remove = useChange('DELETE /members/:id');
  const touchesAny = members.some(member => mayTouch(member, may));
  // An organisation keeps an owner, so the last one is left alone.
  const owners = members.filter(({ role, status }) => role === 'owner' && status === 'active').length;
  const isLastOwner = ({ role, status }: MemberRecord) =>
    role === 'owner' && status === 'active' && owners === 1;

  return (
    <>
      {setRole.error && <ErrorNotice error={setRole.error} />}
      <WideTable label="Members">
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Email</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th visibleFrom="sm">Since</Table.Th>
              <Table.Th visibleFrom="xs">Last login</Table.Th>
              {touchesAny && (
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map(member => {
              const touchable = mayTouch(member, may) && !isLastOwner(member);
              return (
                <Table.Tr key={member.id}>
                  <Table.Td className={classes.email ?? ''}>
                    <Group gap="xs">
                      {member.email}
                      {member.id === user.id && (
                        <Text span size="xs" c="dimmed">
                          you
                        </Text>
                      )}
                      {member.status === 'invited' && <StateBadge state="invited" />}
                    </Group>
                    {member.status === 'active' && (
                      <Text size="xs" c="dimmed" hiddenFrom="xs">
                        Last login: <RelativeTime at={member.last_login_at} />
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>
                    {touchable && member.status === 'active' ? (
                      <Select
                        w={100}
                        size="xs"
                        aria-label={`Role of ${member.email}`}
                        data={rolesToGive(may)}
                        value={member.role}
                        allowDeselect={false}
                        disabled={setRole.isPending}
                        onChange={role => role && setRole.mutate({ id: member.id, body: { role } })}
                      />
                    ) : (
                      member.role
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    {member.expires_at ? (
                      <>
                        ends <RelativeTime at={member.expires_at} />
                      </>
                    ) : (
                      <RelativeTime at={member.created_at} />
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="xs">
                    {member.status === 'active' ? <RelativeTime at={member.last_login_at} /> : '–'}
                  </Table.Td>
                  {touchesAny && (
                    <Table.Td ta="right">
                      {touchable && (
                        <ConfirmButton
                          {...farewell(member, member.id === user.id)}
                          onConfirm={() => remove.mutateAsync({ id: member.id })}
                          button={{ size: 'compact-sm' }}
                        />
                      )}
                    </Table.Td>
                  )}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </WideTable>
    </>
  );
}

function farewell({ email, status }: MemberRecord, isMe: boolean) {
  if (status === 'invited') {
    return { label: 'Revoke', question: `The invitation link for ${email} stops working.`, act: 'Revoke' };
  }
  return {
    label: 'Remove',
    question: isMe
      ? 'You leave this organisation, and are logged out of it immediately.'
      : `${email} is logged out of this organisation immediately, and loses access to it.`,
    act: isMe ? 'Leave' : 'Remove',
  };
}
