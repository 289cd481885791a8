import { ActionIcon, Badge, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { ViewRecord } from '@sluice/contract/dashboard-views';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useChange } from '../../../lib/api/use-call.ts';
import { notifyError } from '../../../lib/notify-error.ts';
import { useMay } from '../../../lib/session.tsx';
import { useDelete } from '../../../lib/use-delete.ts';

/** The views that there are: renamed where they stand, and deleted. */
export function ManageViews(props: { isOpen: boolean; close(): void; views: readonly ViewRecord[] }) {
  return (
    <Modal opened={props.isOpen} onClose={props.close} title="Views">
      <Stack gap="xs">
        {props.views.map(view => (
          <ViewLine key={view.id} view={view} />
        ))}
        {props.views.length === 0 && (
          <Text size="sm" c="dimmed">
            No views yet.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}

function ViewLine({ view }: { view: ViewRecord }) {
  const mayChange = useMay()('views.share') || !view.shared;
  const [name, setName] = useState(view.name);
  const rename = useChange('PATCH /views/:id');
  const remove = useDelete('DELETE /views/:id');
  const keep = () => {
    const wanted = name.trim();
    if (wanted === '' || wanted === view.name) return setName(view.name);
    rename.mutateAsync({ id: view.id, body: { name: wanted } }).catch(problem => {
      setName(view.name);
      notifyError(problem);
    });
  };
  return (
    <Group gap="xs" wrap="nowrap">
      {mayChange ? (
        <TextInput
          aria-label={`Name of ${view.name}`}
          size="xs"
          flex={1}
          maxLength={100}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          onBlur={keep}
          onKeyDown={event => {
            if (event.key === 'Enter') event.currentTarget.blur();
          }}
        />
      ) : (
        <Text size="sm" flex={1} truncate title={view.name}>
          {view.name}
        </Text>
      )}
      {view.shared && (
        <Badge size="sm" variant="light" tt="none">
          organisation
        </Badge>
      )}
      {mayChange && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete ${view.name}`}
          onClick={() => void remove({ id: view.id }, { name: view.name })}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}
