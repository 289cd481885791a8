import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { MemberRecord } from '@sluice/contract/dashboard-accounts';
import type { DataOf } from '@sluice/contract/private-calls';
import { type FormEvent, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { CopyText } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { Loading } from '../../components/page-states.tsx';
import { call } from '../../lib/api/call.ts';
import { useAll, useChanges } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
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

const DRAFT_NAME = 'invitation';
const nobody: Pick<MemberRecord, 'email' | 'role'> = { email: '', role: 'member' };
const isTyped = ({ email }: typeof nobody): boolean => email.trim() !== '';

function Invite() {
  const may = useMay();
  const { draft, change } = useKeptDraft(DRAFT_NAME, nobody, {
    isFirst: true,
    isChanged: isTyped,
    withoutSecrets: one => one,
  });
  const [invited, setInvited] = useState<DataOf<'POST /members'> | null>(null);
  const invite = useChanges(async ({ body, typed }: { body: typeof nobody; typed: typeof nobody }) => {
    setInvited(await call('POST /members', { body }));
    // Before all is read again, which takes a while; what was typed meanwhile stays.
    change(now => (isSame(now, typed) ? nobody : now));
  });
  const [isRefused, setRefused] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { ...draft, email: draft.email.trim() };
    const isAddress = /^\S+@\S+$/.test(body.email);
    setRefused(!isAddress);
    if (!isAddress) return;
    // The one before.
    setInvited(null);
    invite.mutate({ body, typed: draft });
  };
  const atEmail = isRefused ? 'This is not an email address.' : errorAt(invite.error, 'email');

  return (
    <Card title="Invite member">
      <Stack>
        <form onSubmit={submit} noValidate>
          <LeaveGuard isUnsaved={() => isTyped(draft)} isKept onLeave={() => dropDraft(DRAFT_NAME)} />
          <Group align="flex-start" gap="sm">
            <TextInput
              flex={1}
              miw={200}
              type="email"
              aria-label="Email"
              placeholder="grace@example.com"
              autoComplete="off"
              value={draft.email}
              error={atEmail}
              onChange={({ currentTarget: { value: email } }) => {
                change(before => ({ ...before, email }));
                setRefused(false);
              }}
            />
            <Select
              w={130}
              aria-label="Role"
              data={rolesToGive(may)}
              allowDeselect={false}
              value={draft.role}
              onChange={role => change(before => ({ ...before, role: role ?? before.role }))}
            />
            <Button type="submit" loading={invite.isPending}>
              Create invitation
            </Button>
          </Group>
        </form>
        {invite.error && !atEmail && <ErrorNotice error={invite.error} />}
        {invited && (
          <div>
            <Text size="sm">
              Send this link to {invited.email}. It works once, for seven days. You won’t be able to see it
              again.
            </Text>
            <CopyText
              text={`${window.location.origin}/invitations/${invited.invite_code}`}
              label="Copy link"
            />
          </div>
        )}
      </Stack>
    </Card>
  );
}
