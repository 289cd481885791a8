import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { call } from '../lib/api/call.ts';
import { useChanges } from '../lib/api/use-call.ts';
import { useMay } from '../lib/session.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { useLeaveGuard } from './leave-guard.tsx';
import { RelativeTime } from './relative-time.tsx';

const overlaps = [
  { value: '0', label: 'Not at all (it may have leaked)' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '1 week' },
];

/** A new secret, while the one before goes on for as long as it takes to bring it to whoever uses it. */
export function RotateDialog(props: {
  /** What holds while both secrets are valid. */
  both: string;
  route: 'POST /sources/:id/rotate' | 'POST /destinations/:id/rotate';
  id: string;
  permission: string;
  /** Whether its provider makes the secrets, so that the new one is pasted. */
  isPasted?: boolean;
  /** Until when the one before holds; null where there is none. */
  previousUntil: string | null;
  onRotated(secret: string): void;
}) {
  const mayChange = useMay()(props.permission);
  const [isOpen, { open: show, close: hide }] = useDisclosure();
  const [overlap, setOverlap] = useState('86400');
  const [pasted, setPasted] = useState('');
  // A secret is not kept, and its provider may show it only once.
  const guard = useLeaveGuard({ isUnsaved: () => isOpen && pasted !== '' });
  const drop = () => {
    setPasted('');
    hide();
  };
  const close = () => guard.ask(drop);
  // What is shown once is shown as soon as it is answered, and what was pasted is in force, whatever is read again after.
  const change = useChanges(async (body: { overlap_s: number; secret?: string }) => {
    const { secret } = await call(props.route, { id: props.id, body });
    if (secret) props.onRotated(secret);
    drop();
  });
  const open = () => {
    // What was wrong with another one.
    change.reset();
    show();
  };
  const holds = props.previousUntil !== null && Date.parse(props.previousUntil) > Date.now();
  const rotate = () =>
    change.mutate({ overlap_s: Number(overlap), ...(props.isPasted ? { secret: pasted } : {}) });
  return (
    <>
      <Group gap="sm">
        {mayChange && (
          <Button variant="default" size="xs" onClick={open}>
            Rotate secret
          </Button>
        )}
        {holds && (
          <Text size="sm" c="dimmed">
            The previous secret is still valid; it expires <RelativeTime at={props.previousUntil} />.
          </Text>
        )}
      </Group>
      <Modal opened={isOpen} onClose={close} title="Rotate secret">
        <Stack>
          <Text size="sm">
            {props.isPasted
              ? 'Create a new secret at the provider and paste it here.'
              : 'A new secret is created and shown once.'}
            {holds && ' The previous secret stops working immediately.'}
          </Text>
          {props.isPasted && (
            <TextInput
              label="New secret"
              value={pasted}
              autoComplete="off"
              onChange={event => setPasted(event.currentTarget.value)}
            />
          )}
          <Select
            label="Current secret stays valid for"
            data={overlaps}
            value={overlap}
            allowDeselect={false}
            onChange={value => setOverlap(value ?? '86400')}
          />
          {overlap !== '0' && (
            <Text size="sm" c="dimmed">
              {props.both}
            </Text>
          )}
          {change.error && <ErrorNotice error={change.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={change.isPending} onClick={rotate}>
              {props.isPasted ? 'Use new secret' : 'Create new secret'}
            </Button>
          </Group>
        </Stack>
      </Modal>
      {guard.question}
    </>
  );
}
