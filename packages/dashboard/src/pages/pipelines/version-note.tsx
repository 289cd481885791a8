import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import type { PipelineVersionRecord } from '@sluice/contract/dashboard-pipelines';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { OutdatedNotice } from '../../components/restored-notice.tsx';
import { useFormModal } from '../../components/use-form-modal.ts';
import { useChange } from '../../lib/api/use-call.ts';

/** What somebody noted on a version, and a way to note it afterwards. */
export function VersionNote(props: {
  pipelineId: string;
  version: PipelineVersionRecord;
  mayChange: boolean;
}) {
  const { version, note } = props.version;
  const form = useFormModal(`note ${props.pipelineId} ${version}`, note ?? '');
  return (
    <>
      {note !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      )}
      {props.mayChange && (
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`${note === null ? 'Add note to' : 'Edit note on'} version ${version}`}
          onClick={form.open}
        >
          {note === null ? 'Add note' : 'Edit'}
        </Button>
      )}
      {note === null && !props.mayChange && (
        <Text size="sm" c="dimmed">
          –
        </Text>
      )}
      <Modal opened={form.isOpen} onClose={form.close} title={`Note on version ${version}`}>
        <NoteForm
          {...props}
          text={form.draft}
          isOutdated={form.isOutdated}
          onText={text => form.change(() => text)}
          onDone={form.done}
          onCancel={form.close}
        />
      </Modal>
      {form.question}
    </>
  );
}

function NoteForm(props: {
  pipelineId: string;
  version: PipelineVersionRecord;
  text: string;
  isOutdated: boolean;
  onText(text: string): void;
  onDone(): void;
  onCancel(): void;
}) {
  const { text } = props;
  const { version } = props.version;
  const change = useChange('POST /pipelines/:id/notes');
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        const body = { version, note: text };
        change.mutate({ id: props.pipelineId, body }, { onSuccess: props.onDone });
      }}
    >
      <Stack>
        {props.isOutdated && <OutdatedNotice />}
        <Textarea
          label="Note"
          description="What changed, and why. Empty removes it."
          autosize
          minRows={2}
          maxRows={8}
          maxLength={500}
          data-autofocus
          value={text}
          onChange={event => props.onText(event.currentTarget.value)}
        />
        {change.error && <ErrorNotice error={change.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save note
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
