import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { EventColumnName, ViewRecord } from '@sluice/contract/dashboard-views';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useChange } from '../../../lib/api/use-call.ts';
import { useMay } from '../../../lib/session.tsx';

/** Keeps what the list shows under a name. */
export function SaveView(props: {
  isOpen: boolean;
  close(): void;
  filters: ViewRecord['filters'];
  columns: readonly EventColumnName[];
  onSaved(view: ViewRecord): void;
}) {
  const { filters, columns } = props;
  const mayShare = useMay()('views.share');
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = useChange('POST /views');
  const close = () => {
    props.close();
    setName('');
    setShared(false);
    save.reset();
  };
  return (
    <Modal opened={props.isOpen} onClose={close} title="Save as a view">
      <form
        onSubmit={event => {
          event.preventDefault();
          save.mutate(
            { body: { name, shared, filters, columns } },
            {
              onSuccess(view) {
                close();
                props.onSaved(view);
              },
            },
          );
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={100}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            data-autofocus
          />
          {mayShare && (
            <Checkbox
              label="For everyone in the organisation"
              checked={shared}
              onChange={event => setShared(event.currentTarget.checked)}
            />
          )}
          {save.error && <ErrorNotice error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
