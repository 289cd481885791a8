import { Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import type { EventQuery } from '../../../components/events/use-event-query.ts';
import { SelectionBar } from '../../../components/selection/selection-bar.tsx';
import type { Selection } from '../../../components/selection/use-selection.ts';
import { asCallError, type CallError, call } from '../../../lib/api/call.ts';
import { useChange } from '../../../lib/api/use-call.ts';

/** Each is a job of its own; for more there is the job for all that match. */
export const MOST_ONE_BY_ONE = 50;

type Chosen = 'selected' | 'matching';
type ReplayVersion = 'current' | 'original';

/** What can be done with the events that are selected. */
export function ReplayBar({ selection, query }: { selection: Selection<EventSummary>; query: EventQuery }) {
  const [input, setInput] = useState<Chosen>('selected');
  const [isOpen, { open, close }] = useDisclosure();
  const ask = (wanted: Chosen) => {
    setInput(wanted);
    open();
  };
  return (
    <SelectionBar
      selection={selection}
      one="event"
      many="events"
      limit={`Up to ${MOST_ONE_BY_ONE} at a time; to include more, replay all that match.`}
    >
      <Button size="compact-sm" onClick={() => ask('selected')}>
        Replay
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => ask('matching')}>
        Replay all that match
      </Button>
      <ReplayQuestion input={input} isOpen={isOpen} close={close} selection={selection} query={query} />
    </SelectionBar>
  );
}

function ReplayQuestion(props: {
  input: Chosen;
  isOpen: boolean;
  close(): void;
  selection: Selection<EventSummary>;
  query: EventQuery;
}) {
  const { input, selection, query } = props;
  const count = selection.rows.length;
  const navigate = useNavigate();
  const [version, setVersion] = useState<ReplayVersion>('current');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const replayMatching = useChange('POST /replays');

  const replay = async () => {
    setBusy(true);
    setError(null);
    try {
      const job =
        input === 'matching'
          ? await replayMatching.mutateAsync({ body: { filter: query, version } })
          : await replayEach([...selection.ids], version, selection.deselect);
      props.close();
      selection.clear();
      if (job) void navigate({ to: '/jobs/$id', params: { id: job.id } });
      else notifications.show({ message: `${count} events are being replayed.` });
    } catch (problem) {
      setError(asCallError(problem));
    } finally {
      setBusy(false);
    }
  };

  const isNarrowed = Object.keys(query).length > 0;
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.close}
      title={input === 'matching' ? 'Replay all that match' : 'Replay'}
    >
      <Stack>
        <Text size="sm">
          {input === 'selected'
            ? `${count === 1 ? 'The event runs' : `${count} events run`} again, and the result is delivered again.`
            : `${isNarrowed ? 'Every event that matches the filters runs' : 'Every event that is kept runs'} again, and the result is delivered again. You can follow its progress and cancel it.`}
        </Text>
        <SegmentedControl
          aria-label="Through which pipelines"
          value={version}
          onChange={value => setVersion(value as ReplayVersion)}
          orientation="vertical"
          fullWidth
          data={[
            { value: 'current', label: 'Current pipelines' },
            { value: 'original', label: 'Original versions' },
          ]}
        />
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.close}>
            Cancel
          </Button>
          <Button loading={busy} onClick={() => void replay()} data-autofocus>
            Replay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/**
 * The job, where it is one; of several, each event's page shows how its own went. What is under way is told one by one,
 * so that where one fails, those before it are not replayed twice.
 */
async function replayEach(
  ids: readonly string[],
  version: ReplayVersion,
  onReplayed: (id: string) => void,
): Promise<JobRecord | null> {
  let job: JobRecord | null = null;
  for (const id of ids) {
    job = await call('POST /events/:id/replay', { id, body: { version } });
    onReplayed(id);
  }
  return ids.length === 1 ? job : null;
}
