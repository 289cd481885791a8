import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { call } from '../../lib/api/call.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';
import { removeRow } from '../../lib/undo/focus-after-removal.ts';
import { useLetters } from './use-letters.ts';

/** Retries one, or lets it go. */
export function LetterActions({ letter, onJob }: { letter: DeadLetter; onJob(id: string): void }) {
  const { id, kind } = letter;
  const letters = useLetters(onJob);
  const retry = useChanges(async () => {
    if (kind === 'delivery') {
      await call('POST /deliveries/:id/retry', { id });
      notifications.show({ message: 'Retry started' });
    } else {
      onJob((await call('POST /dead-letters/retry', { body: { filter: { kind, event: id } } })).id);
    }
  });
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Tooltip label="Retry">
        <ActionIcon
          variant="subtle"
          aria-label={`Retry ${id}`}
          loading={retry.isPending}
          onClick={() => void retry.mutateAsync().catch(notifyError)}
        >
          <IconRefresh size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Discard">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Discard ${id}`}
          disabled={retry.isPending}
          onClick={({ currentTarget }) => removeRow(currentTarget, () => letters.discardSelected([letter]))}
        >
          <IconTrash size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
