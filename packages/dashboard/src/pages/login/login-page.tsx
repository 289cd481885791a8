import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PublicFrame } from '../../components/public-frame.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { useLogIn } from '../../lib/use-log-in.ts';
import { CodeStep } from './code-step.tsx';
import { returnPath } from './return-path.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly code?: string;
}

/** The log-in page. */
export default function LoginPage() {
  const { to }: { to?: string } = useSearch({ strict: false });
  const target = returnPath(to, window.location.origin);
  const router = useRouter();
  const enterAs = useLogIn();
  const session = useCall('GET /session');
  const isIn = session.data !== undefined && session.error === null;
  // Whoever is logged in already has nothing to do here.
  useEffect(() => {
    if (isIn) router.history.replace(target);
  }, [isIn, router, target]);

  const logIn = useMutation<WhoAmI, CallError, Credentials>({
    mutationFn: body => call('POST /session', { body }),
    onSuccess: who => enterAs(who, target),
  });
  // The password was right, and the account asks for a code too: both stay here until that is given.
  const [proved, setProved] = useState<Credentials | null>(null);
  if (logIn.error?.code === 'second_factor_required' && logIn.variables && proved === null) {
    setProved(logIn.variables);
  }
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: email => (email.trim() === '' ? 'The email is missing.' : null),
      password: password => (password === '' ? 'The password is missing.' : null),
    },
  });

  if (proved !== null) {
    return (
      <CodeStep
        error={logIn.error?.code === 'second_factor_required' ? null : logIn.error}
        isPending={logIn.isPending}
        onCode={code => logIn.mutate({ ...proved, code })}
        onBack={() => {
          logIn.reset();
          setProved(null);
        }}
      />
    );
  }
  return (
    <PublicFrame title="Log in">
      <form onSubmit={form.onSubmit(input => logIn.mutate(input))} noValidate>
        <Stack>
          {logIn.error && <ErrorNotice error={logIn.error} />}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            data-autofocus
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={logIn.isPending} fullWidth>
            Log in
          </Button>
        </Stack>
      </form>
    </PublicFrame>
  );
}
