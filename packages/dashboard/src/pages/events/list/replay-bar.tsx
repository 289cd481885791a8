import { Button, Group, Modal, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import type { EventQuery } from '../../../components/events/use-event-query.ts';
import { asCallError, type CallError, call } from '../../../lib/api/call.ts';
import { useChange } from '../../../lib/api/use-call.ts';
import classes from './replay-bar.module.css';

/** Each is a job of its own; for more there is the job for all that match. */
const MOST_ONE_BY_ONE = 50;

type Chosen = 'selected' | 'matching';
type ReplayVersion = 'current' | 'original';

/** What can be done with the events that are selected. */
export function ReplayBar(props: {
  selected: ReadonlySet<string>;
  query: EventQuery;
  /** It is under way, and selected no longer: where one fails, those before it are not replayed twice. */
  onReplayed(id: string): void;
  onClear(): void;
}) {
  const { selected, query, onClear } = props;
  const [input, setInput] = useState<Chosen>('selected');
  const [isOpen, { open, close }] = useDisclosure();
  const ask = (wanted: Chosen) => {
    setInput(wanted);
    open();
  };
  const isTooMany = selected.size > MOST_ONE_BY_ONE;
  return (
    <Paper className={classes.bar} role="region" aria-label="Selected events">
      <Text size="sm" fw={600} className="numbers">
        {selected.size === 1 ? '1 event selected' : `${selected.size} events selected`}
      </Text>
      {isTooMany && (
        <Text size="sm" c="dimmed">
          Up to {MOST_ONE_BY_ONE} are replayed one by one; for more, narrow the filters and replay all that
          match.
        </Text>
      )}
      <Group gap="xs" ml="auto">
        <Button size="compact-sm" onClick={() => ask('selected')} disabled={isTooMany}>
          Replay
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => ask('matching')}>
          Replay all that match
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
          Clear
        </Button>
      </Group>
      <ReplayQuestion
        input={input}
        isOpen={isOpen}
        close={close}
        selected={selected}
        query={query}
        onReplayed={props.onReplayed}
        onDone={onClear}
      />
    </Paper>
  );
}

function ReplayQuestion(props: {
  input: Chosen;
  isOpen: boolean;
  close(): void;
  selected: ReadonlySet<string>;
  query: EventQuery;
  onReplayed(id: string): void;
  onDone(): void;
}) {
  const { input, selected, query } = props;
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
          : await replayEach([...selected], version, props.onReplayed);
      props.close();
      props.onDone();
      if (job) void navigate({ to: '/jobs/$id', params: { id: job.id } });
      else notifications.show({ message: `${selected.size} events are being replayed.` });
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
            ? `${selected.size === 1 ? 'The event runs' : `${selected.size} events run`} again, and the result is delivered again.`
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

/** The job, where it is one; of several, each event's page shows how its own went. */
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
