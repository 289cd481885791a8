import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import { slugOfTab } from '../../lib/organisation.ts';

/** Nothing brings an organisation back, so whoever deletes it types its name. */
export function DeleteOrganisation({
  organisation: { id, name, slug },
}: {
  organisation: OrganisationRecord;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  const [typed, setTyped] = useState('');
  const queries = useQueryClient();
  const remove = useMutation<unknown, CallError, void>({
    mutationFn: () => call('DELETE /organisations/:id', { id }),
    onSuccess: () => {
      close();
      // Of this one nothing is left: the session is in another by now, or has ended.
      if (slug === slugOfTab()) window.location.assign('/settings/organisations');
      return queries.resetQueries();
    },
  });
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={open}>
        Delete
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Delete ${name}`}>
        <form
          onSubmit={event => {
            event.preventDefault();
            if (typed === name) remove.mutate();
          }}
        >
          <Stack>
            <Text size="sm">
              Its keys, sources, pipelines, destinations, entities and all events are deleted immediately and
              permanently. Senders are rejected from the next request on.
            </Text>
            <TextInput
              label={`Type “${name}” to delete it`}
              value={typed}
              onChange={event => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
            {remove.error && <ErrorNotice error={remove.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" color="red" disabled={typed !== name} loading={remove.isPending}>
                Delete organisation
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
