import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import classes from './account.module.css';

/** Changing the password. */
export function PasswordCard({ email }: { email: string }) {
  const change = useChange('PUT /account/password');
  const form = useForm({
    initialValues: { password: '', new_password: '' },
    validate: {
      password: password => (password === '' ? 'The current password is missing.' : null),
      new_password: password => (password === '' ? 'The new password is missing.' : null),
    },
  });
  const submit = form.onSubmit(body => change.mutate({ body }, { onSuccess: () => form.reset() }));
  const atCurrent = errorAt(change.error, 'password');
  const atNew = errorAt(change.error, 'new_password');

  return (
    <Card title="Password" lead="Changing it logs you out everywhere else.">
      <form onSubmit={submit} noValidate className={classes.form}>
        <Stack>
          {/* For password managers, which otherwise guess whose password it is. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps('password')}
            error={form.errors.password ?? atCurrent}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters."
            autoComplete="new-password"
            {...form.getInputProps('new_password')}
            error={form.errors.new_password ?? atNew}
          />
          {change.error && !atCurrent && !atNew && <ErrorNotice error={change.error} />}
          {change.isSuccess && (
            <Alert variant="light" role="status">
              Password changed. All other sessions have ended.
            </Alert>
          )}
          <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
            Change password
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
