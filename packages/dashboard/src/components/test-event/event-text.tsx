import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../lib/api/use-call.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { beginPasted, beginSaved, readEvent, type TrialEvent } from './trial-event.ts';

/** An event as JSON. */
export const EventText = (props: { text: string; onText(text: string): void }) => (
  <Textarea
    label="Event"
    description="As it would be sent to /v1/ingest: type and payload."
    autosize
    minRows={4}
    maxRows={14}
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
    value={props.text}
    onChange={change => props.onText(change.currentTarget.value)}
  />
);

/** Keeps what was written under a name, for everybody in the organisation. */
export function SaveAs({ text, onSaved }: { text: string; onSaved(event: TrialEvent): void }) {
  const [name, setName] = useState<string | null>(null);
  const save = useChange('POST /test-events');
  const given = readEvent(beginPasted(text));
  const body = given?.kind === 'event' && 'event' in given.body ? given.body : null;
  if (name === null) {
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        leftSection={<IconDeviceFloppy size={15} aria-hidden />}
        disabled={body === null}
        onClick={() => setName('')}
      >
        Save as test event
      </Button>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // This form may stand inside another, which is not to be sent with it.
    event.stopPropagation();
    if (body !== null)
      save.mutate({ body: { name, event: body.event } }, { onSuccess: saved => onSaved(beginSaved(saved)) });
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Name"
          size="xs"
          flex={1}
          maxLength={100}
          data-autofocus
          placeholder="A paid order"
          value={name}
          onChange={change => setName(change.currentTarget.value)}
          onKeyDown={event => event.key === 'Enter' && submit(event)}
        />
        <Button
          size="xs"
          loading={save.isPending}
          disabled={name.trim() === '' || body === null}
          onClick={submit}
        >
          Save
        </Button>
        <Button size="xs" variant="default" onClick={() => setName(null)}>
          Cancel
        </Button>
      </Group>
      {save.error && <ErrorNotice error={save.error} />}
    </Stack>
  );
}
