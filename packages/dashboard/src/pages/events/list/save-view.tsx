import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { EventColumnName, ViewRecord } from '@sluice/contract/dashboard-views';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { OutdatedNotice } from '../../../components/restored-notice.tsx';
import type { useFormModal } from '../../../components/use-form-modal.ts';
import { useChange } from '../../../lib/api/use-call.ts';
import { useMay } from '../../../lib/session.tsx';

export const unnamed = { name: '', shared: false };

interface ViewToSave {
  form: ReturnType<typeof useFormModal<typeof unnamed>>;
  filters: ViewRecord['filters'];
  columns: readonly EventColumnName[];
  onSaved(view: ViewRecord): void;
}

/** Keeps what the list shows under a name. */
export function SaveView(props: ViewToSave) {
  const { form } = props;
  return (
    <>
      <Modal opened={form.isOpen} onClose={form.close} title="Save as a view">
        {form.isOutdated && <OutdatedNotice />}
        <ViewForm {...props} />
      </Modal>
      {form.question}
    </>
  );
}

function ViewForm({ form, filters, columns, onSaved }: ViewToSave) {
  const { name, shared } = form.draft;
  const mayShare = useMay()('views.share');
  const save = useChange('POST /views');
  const change = (changed: Partial<typeof unnamed>) => form.change(before => ({ ...before, ...changed }));
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        save.mutate(
          { body: { name, shared, filters, columns } },
          {
            onSuccess(view) {
              form.done();
              onSaved(view);
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
          onChange={event => change({ name: event.currentTarget.value })}
          data-autofocus
        />
        {mayShare && (
          <Checkbox
            label="For everyone in the organisation"
            checked={shared}
            onChange={event => change({ shared: event.currentTarget.checked })}
          />
        )}
        {save.error && <ErrorNotice error={save.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={form.close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
