import { Button, Menu, Text } from '@mantine/core';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import { IconChevronDown, IconPlayerPlay } from '@tabler/icons-react';
import { useChange } from '../../../lib/api/use-call.ts';
import { notifyError } from '../../../lib/notify-error.ts';
import { useMay } from '../../../lib/session.tsx';

const choices = [
  {
    version: 'current',
    title: 'Current pipelines',
    what: 'All enabled pipelines that listen to its source now.',
  },
  {
    version: 'original',
    title: 'Original versions',
    what: 'As they were when the event was received.',
  },
] as const;

/** Once more from the beginning. What was delivered before is delivered again. */
export function ReplayMenu({ event, onStarted }: { event: EventRecord; onStarted(job: string): void }) {
  const may = useMay()('events.replay');
  const change = useChange('POST /events/:id/replay');
  if (!may || event.state === 'accepted' || event.erased_at !== null) return null;
  const replay = async (version: 'current' | 'original') => {
    try {
      onStarted((await change.mutateAsync({ id: event.id, body: { version } })).id);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button
          loading={change.isPending}
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          rightSection={<IconChevronDown size={16} aria-hidden />}
        >
          Replay
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ version, title, what }) => (
          <Menu.Item key={version} onClick={() => void replay(version)}>
            <Text size="sm" fw={550}>
              {title}
            </Text>
            <Text size="xs" c="dimmed">
              {what}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
