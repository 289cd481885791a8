import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../components/confirm.tsx';
import type { EntityName } from '../../lib/entity-path.ts';
import { useDelete } from '../../lib/use-delete.ts';

/** Deletes an entity, and where that is asked for erases the payloads of its events too. */
export function DeleteEntity({ name }: { name: EntityName }) {
  const [erases, setErases] = useState(false);
  const remove = useDelete('DELETE /entities/:kind/:external_id');
  return (
    <ConfirmButton
      label="Delete"
      act={erases ? 'Delete and erase' : 'Delete'}
      question={
        <Stack gap="sm">
          <Text size="sm">Its traits and links are deleted too. Events keep their reference to it.</Text>
          <Checkbox
            label="Erase the payloads of its events too"
            description="In events, traces and attempts, permanently. Pending deliveries are cancelled."
            checked={erases}
            onChange={event => setErases(event.currentTarget.checked)}
          />
        </Stack>
      }
      onConfirm={() =>
        remove(
          { ...name, erase_events: erases ? 'true' : undefined },
          { name: `${name.kind}:${name.external_id}`, to: '/entities' },
        )
      }
    />
  );
}
