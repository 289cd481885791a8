import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { ConfirmButton } from '../../components/confirm.tsx';
import { call } from '../../lib/api/call.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';

/** Retries one, or lets it go. */
export function LetterActions({ letter, onJob }: { letter: DeadLetter; onJob(id: string): void }) {
  const { id, kind } = letter;
  const retry = useChanges(async () => {
    if (kind === 'delivery') {
      await call('POST /deliveries/:id/retry', { id });
      notifications.show({ message: 'It is sent once more.' });
    } else {
      onJob((await call('POST /dead-letters/retry', { body: { filter: { kind, event: id } } })).id);
    }
  });
  const discard = useChanges(async () => {
    await (kind === 'delivery'
      ? call('POST /deliveries/:id/discard', { id })
      : call('POST /events/:id/discard', { id }));
    notifications.show({ message: 'It was discarded.' });
  });
  const isBusy = retry.isPending || discard.isPending;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Tooltip label="Retry">
        <ActionIcon
          variant="subtle"
          aria-label={`Retry ${letter.id}`}
          loading={isBusy}
          onClick={() => void retry.mutateAsync().catch(notifyError)}
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
        onConfirm={() => discard.mutateAsync()}
        target={open => (
          <Tooltip label="Discard">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Discard ${letter.id}`}
              disabled={isBusy}
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
