import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { asCallError, type CallError } from '../lib/api/call.ts';
import { ErrorNotice } from './error-notice.tsx';

/** A button for what cannot be taken back, or is done to many: it says what will happen, and asks. */
export function ConfirmButton(props: {
  label: string;
  /** What will happen. */
  question: ReactNode;
  /** The word on the button that does it: "Delete". */
  act: string;
  /** The word on the button that does nothing, where "Cancel" could be taken for the other. */
  dismiss?: string;
  /** Nothing is lost by it, though it asks. */
  isHarmless?: boolean;
  onConfirm(): Promise<unknown>;
  button?: ButtonProps;
  /** What asks, where that is no plain button. */
  target?(open: () => void): ReactNode;
  /** Somebody has asked for it elsewhere: it is open then. */
  isAsked?: boolean;
  onClose?(): void;
}) {
  const [isOpen, { open, close: hide }] = useDisclosure();
  const isAsked = props.isAsked ?? false;
  useEffect(() => {
    if (isAsked) open();
  }, [isAsked, open]);
  const close = () => {
    hide();
    props.onClose?.();
  };
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await props.onConfirm();
      close();
    } catch (problem) {
      setError(asCallError(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {props.target?.(open) ?? (
        <Button variant="default" {...props.button} onClick={open}>
          {props.label}
        </Button>
      )}
      <Modal opened={isOpen} onClose={close} title={props.label}>
        <Stack>
          <Text size="sm" component="div">
            {props.question}
          </Text>
          {error && <ErrorNotice error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              {props.dismiss ?? 'Cancel'}
            </Button>
            <Button
              {...(props.isHarmless ? {} : { color: 'red' })}
              loading={busy}
              onClick={() => void confirm()}
            >
              {props.act}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
