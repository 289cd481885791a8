import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PublicFrame } from '../../components/public-frame.tsx';
import type { CallError } from '../../lib/api/call.ts';
import { errorAt } from '../../lib/field-error.ts';

/** The second step of a login: the code of the authenticator app. */
export function CodeStep(props: {
  error: CallError | null;
  isPending: boolean;
  onCode(code: string): void;
  onBack(): void;
}) {
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: code => (code.trim() === '' ? 'The code is missing.' : null) },
    transformValues: ({ code }) => ({ code: code.trim() }),
  });
  const atCode = errorAt(props.error, 'code');
  return (
    <PublicFrame title="Two-factor authentication">
      <form onSubmit={form.onSubmit(({ code }) => props.onCode(code))} noValidate>
        <Stack>
          {props.error && !atCode && <ErrorNotice error={props.error} />}
          <TextInput
            label="Code"
            description="From your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            autoCapitalize="none"
            autoFocus
            {...form.getInputProps('code')}
            error={form.errors.code ?? atCode}
          />
          <Button type="submit" loading={props.isPending} fullWidth>
            Log in
          </Button>
          <Button variant="default" onClick={props.onBack} fullWidth>
            Back
          </Button>
        </Stack>
      </form>
    </PublicFrame>
  );
}
