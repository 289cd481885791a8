import { Anchor, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { OutdatedNotice, RestoredNotice } from '../../components/restored-notice.tsx';
import { useFormModal } from '../../components/use-form-modal.ts';
import { CallError, call } from '../../lib/api/call.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { type EntityName, entityPage } from '../../lib/entity-path.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { readTraits, TraitsInput } from './traits-input.tsx';

const EXISTS = 'conflict';

/** Makes an entity; one that exists already is not written over. */
async function createEntity(given: EntityName & { readonly traits: Readonly<Record<string, unknown>> }) {
  const { kind, external_id } = given;
  const found = await call('GET /entities', { kind, external_id, limit: 1 });
  if (found.length > 0) throw new CallError(409, EXISTS, 'This entity already exists.', null);
  return call('POST /entities', { body: given });
}

interface EntityDraft {
  readonly name: EntityName;
  /** Its traits, as JSON. */
  readonly text: string;
}

const emptyDraft: EntityDraft = { name: { kind: '', external_id: '' }, text: '{\n  \n}' };

/** A button that asks for a new entity. */
export function NewEntity() {
  const form = useFormModal('entity new', emptyDraft);
  const [{ new: isAsked }, change] = useFilters();
  // From the palette one comes here with the question.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once; the address is then as it was
  useEffect(() => {
    if (isAsked === undefined) return;
    form.open();
    change({ new: '' });
  }, [isAsked]);
  return (
    <>
      <Button onClick={form.open}>New entity</Button>
      <Modal opened={form.isOpen} onClose={form.close} title="New entity" size="lg">
        {form.isRestored && <RestoredNotice onDiscard={() => form.change(() => emptyDraft)} />}
        {form.isOutdated && <OutdatedNotice />}
        <NewEntityForm
          draft={form.draft}
          onChange={changed => form.change(before => ({ ...before, ...changed }))}
          onMade={form.done}
          onCancel={form.close}
        />
      </Modal>
      {form.question}
    </>
  );
}

function NewEntityForm(props: {
  draft: EntityDraft;
  onChange(changed: Partial<EntityDraft>): void;
  onMade(): void;
  onCancel(): void;
}) {
  const { name, text } = props.draft;
  const setName = (given: EntityName) => props.onChange({ name: given });
  const create = useChanges(createEntity);
  const navigate = useNavigate();
  const { traits, problem } = readTraits(text);
  const isNamed = name.kind !== '' && name.external_id !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (traits === null || !isNamed) return;
    const onSuccess = () => {
      props.onMade();
      void navigate({ to: entityPage(name) });
    };
    create.mutate({ ...name, traits }, { onSuccess });
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
        <TraitsInput
          text={text}
          onText={given => props.onChange({ text: given })}
          problem={problem ?? problemOf(error, 'traits')}
        />
        {error && !isAtField && <ErrorNotice error={error} />}
        {error?.code === EXISTS && create.variables && (
          <Anchor component={Link} to={entityPage(create.variables)} size="sm">
            Open {create.variables.external_id}
          </Anchor>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onCancel}>
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
