import { Button, Select, Stack } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useCall } from '../../lib/api/use-call.ts';
import { formatRelative } from '../relative-time.tsx';
import { writeEvent } from './trial-event.ts';

const RECENT = 30;

/** The newest events, of the one source that is listened to, or of all. */
export function RecentEvents(props: {
  sources: readonly string[];
  chosen: string | null;
  onChoose(id: string | null): void;
  /** To write another one like it. */
  onCopy(text: string): void;
}) {
  const [source] = props.sources;
  const { data: events = [], isPending } = useCall('GET /events', {
    limit: RECENT,
    source: props.sources.length === 1 ? source : undefined,
  });
  const chosen = useCall('GET /events/:id', props.chosen === null ? null : { id: props.chosen });
  const now = Date.now();
  return (
    <Stack gap={6}>
      <Select
        label="Recent event"
        searchable
        clearable
        placeholder={events.length === 0 && !isPending ? 'No events yet' : 'Choose an event'}
        nothingFoundMessage="No recent event matches"
        value={props.chosen}
        data={events.map(({ id, type, received_at, sources }) => ({
          value: id,
          label: `${type} · ${sources[0]?.name ?? 'no source'} · ${formatRelative(Date.parse(received_at), now)} · ${id.slice(-6)}`,
        }))}
        onChange={props.onChoose}
      />
      {chosen.data && (
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPencil size={15} aria-hidden />}
          onClick={() => props.onCopy(writeEvent(chosen.data))}
        >
          Edit a copy
        </Button>
      )}
    </Stack>
  );
}
