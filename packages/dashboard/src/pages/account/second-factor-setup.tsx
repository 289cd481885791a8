import { Button, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SecondFactorOffer } from '@sluice/contract/dashboard-own-account';
import { CopyText } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { QrCode } from './qr-code.tsx';

/** The offered secret, as a code to scan and as a text, until a code of it proves that the app has it. */
export function SecondFactorSetup(props: {
  offer: SecondFactorOffer;
  onDone(recoveryCodes: readonly string[]): void;
  onCancel(): void;
}) {
  const { secret, uri } = props.offer;
  const turnOn = useChange('PUT /account/second-factor');
  const form = useForm({
    initialValues: { code: '', password: '' },
    validate: {
      code: code => (/^\d{3} ?\d{3}$/.test(code.trim()) ? null : 'The code has six digits.'),
      password: password => (password === '' ? 'The password is missing.' : null),
    },
    transformValues: ({ code, password }) => ({ code: code.trim(), password }),
  });
  const submit = form.onSubmit(async input => {
    // Once it is on this form is gone, and a callback of its own with it; the promise is kept all the same.
    const done = await turnOn.mutateAsync({ body: { ...input, secret } }).catch(() => null);
    if (done) props.onDone(done.recovery_codes);
  });
  const atCode = errorAt(turnOn.error, 'code');
  const atPassword = errorAt(turnOn.error, 'password');

  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <Stack gap="xs">
        <Text size="sm">1. Scan this with your authenticator app, or type the secret into it.</Text>
        <QrCode text={uri} label="QR code for your authenticator app" />
        <CopyText text={secret} label="Copy secret" />
      </Stack>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm">2. Confirm with the code that the app shows.</Text>
          <TextInput
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            {...form.getInputProps('code')}
            error={form.errors.code ?? atCode}
          />
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            {...form.getInputProps('password')}
            error={form.errors.password ?? atPassword}
          />
          {turnOn.error && !atCode && !atPassword && <ErrorNotice error={turnOn.error} />}
          <Group gap="xs">
            <Button type="submit" loading={turnOn.isPending}>
              Confirm
            </Button>
            <Button variant="default" onClick={props.onCancel}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </SimpleGrid>
  );
}
