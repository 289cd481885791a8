import { Badge, Button, Group, Stack, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import type { KeyRecord } from '@sluice/contract/dashboard-keys';
import { type FormEvent, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Command } from '../../components/copy.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { Loading } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { call } from '../../lib/api/call.ts';
import { useAll, useChange, useChanges } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { useMay } from '../../lib/session.tsx';
import { commandWithKey } from '../../lib/shell-command.ts';

/** The API keys of the organisation: made and revoked. */
export function KeysSection() {
  const keys = useAll('GET /keys', {}, { live: true });
  const mayChange = useMay()('keys.change');
  return (
    <Stack gap="md">
      {mayChange && <NewKey />}
      <Card title="API keys" lead="Your code sends events and manages entities with one of these.">
        {keys.error && <ErrorNotice error={keys.error} onRetry={() => void keys.refetch()} />}
        {keys.isPending && <Loading />}
        {keys.data?.length === 0 && (
          <Empty
            sentence={
              mayChange
                ? 'No API keys yet. Name one above to create it.'
                : 'No API keys yet. Admins and owners create them.'
            }
          />
        )}
        {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} mayChange={mayChange} />}
      </Card>
    </Stack>
  );
}

const DRAFT_NAME = 'key';
const isTyped = (name: string): boolean => name.trim() !== '';

function NewKey() {
  const { draft: name, change } = useKeptDraft(DRAFT_NAME, '', {
    isFirst: true,
    isChanged: isTyped,
    withoutSecrets: one => one,
  });
  const [secret, setSecret] = useState<string | null>(null);
  const make = useChanges(async (named: string) => {
    const made = await call('POST /keys', { body: { name: named } });
    // Before all is read again, which takes a while; what was typed meanwhile stays.
    setSecret(made.secret);
    change(now => (now === named ? '' : now));
  });
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!isTyped(name));
    if (!isTyped(name)) return;
    // Of the key before.
    setSecret(null);
    make.mutate(name);
  };
  return (
    <Card title="New key">
      <Stack>
        <form onSubmit={submit} noValidate>
          <LeaveGuard isUnsaved={() => isTyped(name)} isKept onLeave={() => dropDraft(DRAFT_NAME)} />
          <Group align="flex-start" gap="sm">
            <TextInput
              flex={1}
              miw={200}
              aria-label="Name of the key"
              placeholder="What it is for: shop, nightly import"
              value={name}
              error={isMissing ? 'Enter a name, to tell keys apart.' : errorAt(make.error, 'name')}
              onChange={({ currentTarget: { value } }) => {
                change(() => value);
                setMissing(false);
              }}
            />
            <Button type="submit" loading={make.isPending}>
              Create key
            </Button>
          </Group>
        </form>
        {make.error && !errorAt(make.error, 'name') && <ErrorNotice error={make.error} />}
        {secret && (
          <>
            <OneTimeSecret secret={secret} what="key" />
            <Text size="sm">Try it:</Text>
            <Command text={commandWithKey(window.location.origin, secret)} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function KeyTable({ keys, mayChange }: { keys: readonly KeyRecord[]; mayChange: boolean }) {
  const revoke = useChange('DELETE /keys/:id');
  return (
    <WideTable label="API keys">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Prefix</Table.Th>
            <Table.Th visibleFrom="sm">Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            {mayChange && (
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map(({ id, name, prefix, created_at, last_used_at, revoked_at }) => (
            <Table.Tr key={id} c={revoked_at ? 'dimmed' : undefined}>
              <Table.Td>
                {name}{' '}
                {revoked_at && (
                  <Badge color="gray" tt="none">
                    revoked
                  </Badge>
                )}
              </Table.Td>
              <Table.Td className="mono">{prefix}…</Table.Td>
              <Table.Td visibleFrom="sm">
                <RelativeTime at={created_at} />
              </Table.Td>
              <Table.Td>
                <RelativeTime at={last_used_at} />
              </Table.Td>
              {mayChange && (
                <Table.Td ta="right">
                  {!revoked_at && (
                    <ConfirmButton
                      label="Revoke"
                      question={`Requests with “${name}” will be rejected immediately. This cannot be undone.`}
                      act="Revoke"
                      onConfirm={() => revoke.mutateAsync({ id })}
                      button={{ size: 'compact-sm' }}
                    />
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
