import { Button, Group } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useChange } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';
import { useMay } from '../../lib/session.tsx';
import { ConfirmButton } from '../confirm.tsx';

const open = new Set(['pending', 'held', 'delivering', 'retrying', 'dead']);

const canRetry = ({ state }: Pick<DeliveryRecord, 'state'>): boolean => state === 'dead';
const canDiscard = ({ state }: Pick<DeliveryRecord, 'state'>): boolean => open.has(state);

/** Send it again, or let it go. */
export function DeliveryActions({ delivery, size = 'sm' }: { delivery: DeliveryRecord; size?: string }) {
  const may = useMay()('deliveries.change');
  const retry = useChange('POST /deliveries/:id/retry');
  const discard = useChange('POST /deliveries/:id/discard');
  if (!may || !canDiscard(delivery)) return null;
  const { id } = delivery;
  return (
    <Group gap="xs">
      {canRetry(delivery) && (
        <Button
          size={size}
          loading={retry.isPending}
          onClick={() => void retry.mutateAsync({ id }).catch(notifyError)}
          leftSection={<IconRefresh size={15} aria-hidden />}
        >
          Retry
        </Button>
      )}
      <ConfirmButton
        label="Discard"
        act="Discard"
        question={`Nothing more is sent of this event to “${delivery.destination.name}”. This cannot be taken back; the event itself stays.`}
        onConfirm={() => discard.mutateAsync({ id })}
        button={{ size, leftSection: <IconTrash size={15} aria-hidden /> }}
      />
    </Group>
  );
}
