import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { Loading } from '../../components/page-states.tsx';
import { OutdatedNotice } from '../../components/restored-notice.tsx';
import { useFormModal } from '../../components/use-form-modal.ts';
import { type CallError, call } from '../../lib/api/call.ts';
import { useAll, useChange, useChanges } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { notifyError } from '../../lib/notify-error.ts';
import { useMay, useSession } from '../../lib/session.tsx';
import { useSwitchOrganisation } from '../../lib/use-switch-organisation.ts';
import { DeleteOrganisation } from './delete-organisation.tsx';
import { isAtLeast } from './roles.ts';

/** The organisations that the user belongs to, and a way to make another. */
export function OrganisationsSection() {
  const organisations = useAll('GET /organisations');
  const may = useMay();
  return (
    <Stack gap="md">
      <Card title="Your organisations" lead="Each has its own sources, pipelines, keys and people.">
        {organisations.error && (
          <ErrorNotice error={organisations.error} onRetry={() => void organisations.refetch()} />
        )}
        {organisations.isPending && <Loading />}
        <Stack gap="sm">
          {organisations.data?.map(organisation => (
            <Organisation key={organisation.id} organisation={organisation} />
          ))}
        </Stack>
      </Card>
      {may('organisations.change') && <NewOrganisation />}
    </Stack>
  );
}

/** What may be done to one hangs on the role there. */
function Organisation({ organisation }: { organisation: OrganisationRecord }) {
  const { id, name, role } = organisation;
  const here = useSession().organisation.id === id;
  const moveTo = useSwitchOrganisation();
  // It opens in place of the row, and is else like any form that can be closed.
  const renaming = useFormModal(`name of ${id}`, name);

  if (renaming.isOpen) return <Rename organisation={organisation} form={renaming} />;
  return (
    <Group justify="space-between" gap="sm" role="group" aria-label={name}>
      <Group gap="xs" miw={0}>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text span size="sm" c="dimmed">
          {role}
        </Text>
        {here && <Badge tt="none">current</Badge>}
      </Group>
      <Group gap="xs">
        {!here && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => void moveTo(organisation).catch(notifyError)}
          >
            Switch
          </Button>
        )}
        {isAtLeast(role, 'admin') && (
          <Button size="compact-sm" variant="default" onClick={renaming.open}>
            Rename
          </Button>
        )}
        {isAtLeast(role, 'owner') && <DeleteOrganisation organisation={organisation} />}
      </Group>
    </Group>
  );
}

function Rename(props: { organisation: OrganisationRecord; form: ReturnType<typeof useFormModal<string>> }) {
  const { organisation, form } = props;
  const change = useChange('PATCH /organisations/:id');
  return (
    <>
      {form.isOutdated && <OutdatedNotice />}
      <NameForm
        label={`New name of ${organisation.name}`}
        isFocused
        name={form.draft}
        onName={name => form.change(() => name)}
        error={change.error}
        onSave={name => change.mutate({ id: organisation.id, body: { name } }, { onSuccess: form.done })}
      >
        <Button type="submit" loading={change.isPending}>
          Rename
        </Button>
        <Button variant="default" onClick={form.close}>
          Cancel
        </Button>
      </NameForm>
      {form.question}
    </>
  );
}

const DRAFT_NAME = 'organisation';
const isTyped = (name: string): boolean => name.trim() !== '';

function NewOrganisation() {
  const { draft, change } = useKeptDraft(DRAFT_NAME, '', {
    isFirst: true,
    isChanged: isTyped,
    withoutSecrets: one => one,
  });
  const make = useChanges(async (name: string) => {
    await call('POST /organisations', { body: { name } });
    // Before all is read again, which takes a while; what was typed meanwhile stays.
    change(now => (now === name ? '' : now));
  });
  return (
    <Card title="New organisation" lead="You become its owner, and stay where you are until you switch.">
      <LeaveGuard isUnsaved={() => isTyped(draft)} isKept onLeave={() => dropDraft(DRAFT_NAME)} />
      <NameForm
        label="Name of the organisation"
        name={draft}
        onName={name => change(() => name)}
        error={make.error}
        onSave={name => make.mutate(name)}
      >
        <Button type="submit" loading={make.isPending}>
          Create
        </Button>
      </NameForm>
    </Card>
  );
}

/** A name, and beside it the buttons. */
function NameForm(props: {
  label: string;
  isFocused?: boolean;
  name: string;
  onName(name: string): void;
  error: CallError | null;
  onSave(name: string): void;
  children: ReactNode;
}) {
  const { name, error } = props;
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!isTyped(name));
    if (isTyped(name)) props.onSave(name);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="xs">
        <TextInput
          flex={1}
          miw={160}
          aria-label={props.label}
          autoFocus={props.isFocused ?? false}
          value={name}
          error={isMissing ? 'Enter a name.' : (errorAt(error, 'name') ?? error?.message)}
          onChange={({ currentTarget: { value } }) => {
            props.onName(value);
            setMissing(false);
          }}
        />
        {props.children}
      </Group>
    </form>
  );
}
