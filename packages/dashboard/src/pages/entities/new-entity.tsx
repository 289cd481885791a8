import { Anchor, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { CallError, call } from '../../lib/api/call.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { type EntityName, entityPage } from '../../lib/entity-path.ts';
import { readTraits, TraitsInput } from './traits-input.tsx';

const EXISTS = 'conflict';

/** Makes an entity; one that exists already is not written over. */
async function createEntity(given: EntityName & { readonly traits: Readonly<Record<string, unknown>> }) {
  const { kind, external_id } = given;
  const found = await call('GET /entities', { kind, external_id, limit: 1 });
  if (found.length > 0) throw new CallError(409, EXISTS, 'This entity already exists.', null);
  return call('POST /entities', { body: given });
}

/** A button that asks for a new entity. */
export function NewEntity() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button onClick={open}>New entity</Button>
      <Modal opened={isOpen} onClose={close} title="New entity" size="lg">
        <NewEntityForm onCancel={close} />
      </Modal>
    </>
  );
}

function NewEntityForm({ onCancel }: { onCancel(): void }) {
  const [name, setName] = useState<EntityName>({ kind: '', external_id: '' });
  const [text, setText] = useState('{\n  \n}');
  const create = useChanges(createEntity);
  const navigate = useNavigate();
  const { traits, problem } = readTraits(text);
  const isNamed = name.kind !== '' && name.external_id !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (traits === null || !isNamed) return;
    create.mutate({ ...name, traits }, { onSuccess: () => void navigate({ to: entityPage(name) }) });
  };
  const { error } = create;
  const places = ['kind', 'external_id', 'traits'];
  const isAtField = places.some(path => problemOf(error, path) !== null);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Group grow align="flex-start">
          <TextInput
            label="Kind"
            placeholder="customer"
            withAsterisk
            data-autofocus
            value={name.kind}
            error={problemOf(error, 'kind')}
            onChange={event => setName({ ...name, kind: event.currentTarget.value })}
          />
          <TextInput
            label="External id"
            placeholder="c_42"
            withAsterisk
            value={name.external_id}
            error={problemOf(error, 'external_id')}
            onChange={event => setName({ ...name, external_id: event.currentTarget.value })}
          />
        </Group>
        <TraitsInput text={text} onText={setText} problem={problem ?? problemOf(error, 'traits')} />
        {error && !isAtField && <ErrorNotice error={error} />}
        {error?.code === EXISTS && (
          <Anchor component={Link} to={entityPage(name)} size="sm">
            Open {name.external_id}
          </Anchor>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isNamed || traits === null}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
