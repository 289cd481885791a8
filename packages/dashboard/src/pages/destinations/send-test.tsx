import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconFlask } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { OutdatedNotice } from '../../components/restored-notice.tsx';
import { EventChoice } from '../../components/test-event/event-choice.tsx';
import { isWritten, readEvent, type TrialEvent } from '../../components/test-event/trial-event.ts';
import { useFormModal } from '../../components/use-form-modal.ts';
import { asCallError, type CallError } from '../../lib/api/call.ts';
import type { GivenTo } from '../../lib/api/path.ts';

export type TestBody = GivenTo<'POST /destinations/:id/test'>['body'];

/** Sends an event that says it is a test, or any other that somebody chooses. */
export function SendTest(props: {
  /** Of the destination. */
  id: string;
  kind: string;
  isSending: boolean;
  onSend(body: TestBody): Promise<unknown>;
}) {
  const form = useFormModal<TrialEvent | null>(`test of ${props.id}`, null, isWritten);
  return (
    <>
      <Button.Group>
        <Button
          leftSection={<IconFlask size={16} aria-hidden />}
          loading={props.isSending}
          // What went wrong is shown on the page.
          onClick={() => void props.onSend({}).catch(() => {})}
        >
          Send a test
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size={36} aria-label="More tests" style={{ borderRadius: '0 8px 8px 0' }}>
              <IconChevronDown size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={form.open}>Test with an event…</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      <Modal opened={form.isOpen} onClose={form.close} title="Test with an event" size="lg">
        {form.isOutdated && <OutdatedNotice />}
        <TestForm
          {...props}
          event={form.draft}
          onEvent={event => form.change(() => event)}
          onDone={form.done}
          onCancel={form.close}
        />
      </Modal>
      {form.question}
    </>
  );
}

function TestForm(props: {
  kind: string;
  isSending: boolean;
  event: TrialEvent | null;
  onEvent(event: TrialEvent | null): void;
  onSend(body: TestBody): Promise<unknown>;
  onDone(): void;
  onCancel(): void;
}) {
  const { event } = props;
  const [error, setError] = useState<CallError | null>(null);
  const given = event === null ? null : readEvent(event);
  const problem = given?.kind === 'broken' ? given.error : error;
  const send = async () => {
    if (given?.kind !== 'event') return;
    setError(null);
    try {
      await props.onSend(given.body);
      props.onDone();
    } catch (refused) {
      setError(asCallError(refused));
    }
  };
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {props.kind === 'postgres'
          ? 'Inserts the row and rolls it back: constraints are checked, and nothing is kept.'
          : 'Sends the event once, for real. A recent event is sent as its pipeline processed it for this destination, or else as it was received.'}
      </Text>
      <EventChoice event={event} onEvent={props.onEvent} />
      {problem && <ErrorNotice error={problem} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button loading={props.isSending} disabled={given?.kind !== 'event'} onClick={() => void send()}>
          Send
        </Button>
      </Group>
    </Stack>
  );
}
