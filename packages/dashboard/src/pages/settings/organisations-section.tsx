import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useAll, useChange } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
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
  const [renames, setRenames] = useState(false);

  if (renames) return <Rename organisation={organisation} onDone={() => setRenames(false)} />;
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
          <Button size="compact-sm" variant="default" onClick={() => setRenames(true)}>
            Rename
          </Button>
        )}
        {isAtLeast(role, 'owner') && <DeleteOrganisation organisation={organisation} />}
      </Group>
    </Group>
  );
}

const nameRule = (name: string) => (name.trim() === '' ? 'Enter a name.' : null);

function Rename({ organisation, onDone }: { organisation: OrganisationRecord; onDone(): void }) {
  const change = useChange('PATCH /organisations/:id');
  const form = useForm({ initialValues: { name: organisation.name }, validate: { name: nameRule } });
  const submit = form.onSubmit(body => change.mutate({ id: organisation.id, body }, { onSuccess: onDone }));
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="xs">
        <TextInput
          flex={1}
          miw={160}
          aria-label={`New name of ${organisation.name}`}
          autoFocus
          {...form.getInputProps('name')}
          error={form.errors.name ?? errorAt(change.error, 'name') ?? change.error?.message}
        />
        <Button type="submit" loading={change.isPending}>
          Rename
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

function NewOrganisation() {
  const make = useChange('POST /organisations');
  const form = useForm({ initialValues: { name: '' }, validate: { name: nameRule } });
  const submit = form.onSubmit(body => make.mutate({ body }, { onSuccess: () => form.reset() }));
  return (
    <Card title="New organisation" lead="You become its owner, and stay where you are until you switch.">
      <form onSubmit={submit} noValidate>
        <Group align="flex-start" gap="sm">
          <TextInput
            flex={1}
            miw={200}
            aria-label="Name of the organisation"
            {...form.getInputProps('name')}
            error={form.errors.name ?? errorAt(make.error, 'name') ?? make.error?.message}
          />
          <Button type="submit" loading={make.isPending}>
            Create
          </Button>
        </Group>
      </form>
    </Card>
  );
}
