import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { MemberRecord } from '@sluice/contract/dashboard-accounts';
import { Card } from '../../components/card.tsx';
import { CopyText } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useAll, useChange } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { useMay } from '../../lib/session.tsx';
import { MemberTable } from './member-table.tsx';
import { meanings, rolesToGive } from './roles.ts';

/** Who belongs to the organisation, and how others are invited. */
export function MembersSection() {
  const members = useAll('GET /members', {}, { live: true });
  const may = useMay();
  return (
    <Stack gap="md">
      {may('members.change') && <Invite />}
      <Card title="Members" lead="Who belongs to this organisation, and who has been invited.">
        {members.error && <ErrorNotice error={members.error} onRetry={() => void members.refetch()} />}
        {members.isPending && <Loading />}
        {members.data && <MemberTable members={members.data} />}
      </Card>
      <Card title="What each role may do">
        <Stack gap={4}>
          {meanings.map(([role, meaning]) => (
            <Text size="sm" key={role}>
              <b>{role}</b>: {meaning}
            </Text>
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}

function Invite() {
  const may = useMay();
  const invite = useChange('POST /members');
  const form = useForm({
    initialValues: { email: '', role: 'member' as MemberRecord['role'] },
    validate: { email: email => (/^\S+@\S+$/.test(email.trim()) ? null : 'This is not an email address.') },
    transformValues: input => ({ ...input, email: input.email.trim() }),
  });
  const submit = form.onSubmit(body => invite.mutate({ body }, { onSuccess: () => form.reset() }));
  const atEmail = errorAt(invite.error, 'email');

  return (
    <Card title="Invite member">
      <Stack>
        <form onSubmit={submit} noValidate>
          <Group align="flex-start" gap="sm">
            <TextInput
              flex={1}
              miw={200}
              type="email"
              aria-label="Email"
              placeholder="grace@example.com"
              autoComplete="off"
              {...form.getInputProps('email')}
              error={form.errors.email ?? atEmail}
            />
            <Select
              w={130}
              aria-label="Role"
              data={rolesToGive(may)}
              allowDeselect={false}
              {...form.getInputProps('role')}
            />
            <Button type="submit" loading={invite.isPending}>
              Create invitation
            </Button>
          </Group>
        </form>
        {invite.error && !atEmail && <ErrorNotice error={invite.error} />}
        {invite.data && (
          <div>
            <Text size="sm">
              Send this link to {invite.data.email}. It works once, for seven days. You won’t be able to see
              it again.
            </Text>
            <CopyText
              text={`${window.location.origin}/invitations/${invite.data.invite_code}`}
              label="Copy link"
            />
          </div>
        )}
      </Stack>
    </Card>
  );
}
