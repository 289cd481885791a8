import { Checkbox, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { type EntityName, entityCall } from './entity-address.ts';

/** Forgetting somebody: the entity, and where that is asked for the payloads of its events too. */
export function DeleteEntity({ name }: { name: EntityName }) {
  const [erases, setErases] = useState(false);
  const change = useChange();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete"
      act={erases ? 'Delete and erase' : 'Delete'}
      question={
        <Stack gap="sm">
          <Text size="sm">Its traits and its links go with it. Events stay tied to its name.</Text>
          <Checkbox
            label="Erase the payloads of its events too"
            description="In events, traces and attempts, for good. What is pending is cancelled."
            checked={erases}
            onChange={event => setErases(event.currentTarget.checked)}
          />
        </Stack>
      }
      onConfirm={async () => {
        await change.mutateAsync({
          method: 'DELETE',
          path: `${entityCall(name)}${erases ? '?erase_events=true' : ''}`,
        });
        await navigate({ to: '/entities' });
      }}
    />
  );
}
