import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { ConfirmButton } from '../../components/confirm.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';

/** Retries one, or lets it go. */
export function LetterActions({ letter, onJob }: { letter: DeadLetter; onJob(id: string): void }) {
  const change = useChange<{ id: string }>();
  const send = async (path: string, done: string, body?: unknown) => {
    const { id } = await change.mutateAsync({ method: 'POST', path, body });
    if (id.startsWith('job_')) onJob(id);
    else notifications.show({ message: done });
  };
  const retry = () =>
    letter.kind === 'delivery'
      ? send(`/deliveries/${letter.id}/retry`, 'It is sent once more.')
      : send('/dead-letters/retry', '', { filter: { kind: 'event', event: letter.id } });
  const discard = () =>
    send(
      `/${letter.kind === 'delivery' ? 'deliveries' : 'events'}/${letter.id}/discard`,
      'It was discarded.',
    );
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Tooltip label="Retry">
        <ActionIcon
          variant="subtle"
          aria-label={`Retry ${letter.id}`}
          loading={change.isPending}
          onClick={() => void retry().catch(notifyError)}
        >
          <IconRefresh size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ConfirmButton
        label="Discard"
        question={
          letter.kind === 'delivery'
            ? 'It is not sent any more, and leaves the dead letters. This cannot be taken back.'
            : 'The event stays as it is, and leaves the dead letters. It can still be replayed from its own page.'
        }
        act="Discard"
        onConfirm={discard}
        target={open => (
          <Tooltip label="Discard">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Discard ${letter.id}`}
              disabled={change.isPending}
              onClick={open}
            >
              <IconTrash size={17} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      />
    </Group>
  );
}
