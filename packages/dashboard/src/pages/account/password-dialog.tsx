import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { asCallError, type CallError } from '../../lib/api/call.ts';
import { errorAt } from '../../lib/field-error.ts';

/** A button for what needs the password once more: it says what will happen, and asks for it. */
export function PasswordDialog(props: {
  label: string;
  explanation: string;
  /** The word on the button that does it. */
  act: string;
  colour?: string;
  onPassword(password: string): Promise<void>;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: password => (password === '' ? 'The password is missing.' : null) },
  });
  const leave = () => {
    setError(null);
    form.reset();
    close();
  };
  const submit = form.onSubmit(async ({ password }) => {
    setBusy(true);
    try {
      await props.onPassword(password);
      leave();
    } catch (problem) {
      setError(asCallError(problem));
    } finally {
      setBusy(false);
    }
  });
  const atPassword = errorAt(error, 'password');

  return (
    <>
      <Button variant="default" onClick={open}>
        {props.label}
      </Button>
      <Modal opened={isOpen} onClose={leave} title={props.label}>
        <form onSubmit={submit} noValidate>
          <Stack>
            <Text size="sm">{props.explanation}</Text>
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              data-autofocus
              {...form.getInputProps('password')}
              error={form.errors.password ?? atPassword}
            />
            {error && !atPassword && <ErrorNotice error={error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} {...(props.colour ? { color: props.colour } : {})}>
                {props.act}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
