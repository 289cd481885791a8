import { Button, Group, Text } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { prepareCall } from '../../lib/api/call.ts';
import { useChange } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';
import { useMay } from '../../lib/session.tsx';
import { focusAfterRemoval } from '../../lib/undo/focus-after-removal.ts';
import { useRemovals } from '../../lib/undo/use-removals.tsx';
import { ConfirmButton } from '../confirm.tsx';
import { letterOf, useIsDiscarded } from './use-is-discarded.ts';

const open = new Set(['pending', 'held', 'delivering', 'retrying']);

/** Send it again, or let it go. */
export function DeliveryActions({ delivery, size = 'sm' }: { delivery: DeliveryRecord; size?: string }) {
  const may = useMay()('deliveries.change');
  const isDiscarded = useIsDiscarded(delivery);
  if (!may) return null;
  if (open.has(delivery.state)) return <DiscardOpen delivery={delivery} size={size} />;
  if (delivery.state !== 'dead') return null;
  return isDiscarded ? (
    <Text size="sm" c="dimmed">
      Discarded
    </Text>
  ) : (
    <DeadActions delivery={delivery} size={size} />
  );
}

/** At once: it may be sent any moment, and then nothing could take it back. */
function DiscardOpen({ delivery, size }: { delivery: DeliveryRecord; size: string }) {
  const discard = useChange('POST /deliveries/:id/discard');
  return (
    <ConfirmButton
      label="Discard"
      act="Discard"
      question={`This event will no longer be sent to “${delivery.destination.name}”. This cannot be undone. The event itself is kept.`}
      onConfirm={() => discard.mutateAsync({ id: delivery.id })}
      button={{ size, leftSection: <IconTrash size={15} aria-hidden /> }}
    />
  );
}

function DeadActions({ delivery, size }: { delivery: DeliveryRecord; size: string }) {
  const { id, destination } = delivery;
  const removals = useRemovals();
  const retry = useChange('POST /deliveries/:id/retry');
  const discard = () => {
    const send = prepareCall('POST /deliveries/:id/discard', { id });
    removals.add({
      message: `Delivery to “${destination.name}” discarded`,
      hides: (list, row) => list === '/dead-letters' && (row as DeliveryRecord).id === id,
      rows: [letterOf(delivery)],
      carryOut: ({ isLeaving }) => send({ keepalive: isLeaving }),
    });
  };
  return (
    <Group gap="xs">
      <Button
        size={size}
        loading={retry.isPending}
        onClick={() => void retry.mutateAsync({ id }).catch(notifyError)}
        leftSection={<IconRefresh size={15} aria-hidden />}
      >
        Retry
      </Button>
      <Button
        size={size}
        variant="default"
        onClick={() => focusAfterRemoval(discard, () => null)}
        leftSection={<IconTrash size={15} aria-hidden />}
      >
        Discard
      </Button>
    </Group>
  );
}
