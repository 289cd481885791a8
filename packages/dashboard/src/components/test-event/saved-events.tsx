import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { TestEventRecord } from '@sluice/contract/dashboard-test-events';
import { useRef } from 'react';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { useWithoutRemoved } from '../../lib/undo/use-removals.tsx';
import { useDelete } from '../../lib/use-delete.ts';
import { ConfirmButton } from '../confirm.tsx';
import { ErrorNotice } from '../error-notice.tsx';
import { EventText } from './event-text.tsx';
import { beginSaved, readEvent, type TrialEvent } from './trial-event.ts';

const NONE: readonly TestEventRecord[] = [];

type Saved = Extract<TrialEvent, { kind: 'saved' }>;

/** The test events of the organisation: chosen, changed for this once or for good, and deleted. */
export function SavedEvents(props: { chosen: Saved | null; onChoose(event: Saved | null): void }) {
  const { chosen, onChoose } = props;
  const now = useRef(chosen);
  now.current = chosen;
  const saved = useCall('GET /test-events');
  const events = useWithoutRemoved('/test-events', saved.data ?? NONE);
  const choose = (id: string | null) => {
    const found = events.find(one => one.id === id);
    onChoose(found ? beginSaved(found) : null);
  };
  if (saved.error && !saved.data)
    return <ErrorNotice error={saved.error} onRetry={() => void saved.refetch()} />;
  if (saved.data && events.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No saved test events yet. Write a custom event and save it.
      </Text>
    );
  }
  return (
    <Stack gap={6}>
      <Select
        label="Saved event"
        searchable
        clearable
        placeholder="Choose an event"
        nothingFoundMessage="No saved event matches"
        value={chosen?.id ?? null}
        data={events.map(({ id, name, event }) => ({ value: id, label: `${name} · ${event.type}` }))}
        onChange={choose}
      />
      {chosen !== null && (
        <>
          <EventText text={chosen.text} onText={text => onChoose({ ...chosen, text })} />
          <SavedActions
            key={chosen.id}
            chosen={chosen}
            saved={events.find(({ id }) => id === chosen.id)}
            // What was typed meanwhile stays.
            onSaved={begun => now.current && onChoose({ ...now.current, begun })}
            onGone={() => onChoose(null)}
          />
        </>
      )}
    </Stack>
  );
}

function SavedActions(props: {
  chosen: Saved;
  saved: TestEventRecord | undefined;
  onSaved(text: string): void;
  onGone(): void;
}) {
  const { id, text } = props.chosen;
  const save = useChange('PATCH /test-events/:id');
  const remove = useDelete('DELETE /test-events/:id');
  const given = readEvent(props.chosen);
  const event = given?.kind === 'event' && 'event' in given.body ? given.body.event : null;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          loading={save.isPending}
          disabled={event === null || stringifyExact(event, 0) === stringifyExact(props.saved?.event, 0)}
          onClick={() =>
            event !== null && save.mutate({ id, body: { event } }, { onSuccess: () => props.onSaved(text) })
          }
        >
          Save changes
        </Button>
        <ConfirmButton
          label="Delete test event"
          question={`“${props.saved?.name ?? ''}” is deleted for everyone in the organisation.`}
          act="Delete"
          button={{ size: 'compact-sm', variant: 'subtle', color: 'gray' }}
          onConfirm={() => remove({ id }, { name: props.saved?.name ?? '', onRemoved: props.onGone })}
        />
      </Group>
      {save.error && <ErrorNotice error={save.error} />}
    </Stack>
  );
}
