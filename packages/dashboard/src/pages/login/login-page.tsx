import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type CallError, call } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { pageWithin, useEnter } from './enter.ts';
import { Outside } from './outside.tsx';

interface Wish {
  readonly email: string;
  readonly password: string;
}

export default function LoginPage() {
  const { to }: { to?: string } = useSearch({ strict: false });
  const target = pageWithin(to, window.location.origin);
  const router = useRouter();
  const enter = useEnter();
  const session = useCall<WhoAmI>('/session');
  const isIn = session.data !== undefined && session.error === null;
  // Whoever is logged in already has nothing to do here.
  useEffect(() => {
    if (isIn) router.history.replace(target);
  }, [isIn, router, target]);

  const logIn = useMutation<WhoAmI, CallError, Wish>({
    mutationFn: wish => call<WhoAmI>('POST', '/session', wish),
    onSuccess: who => enter(who, target),
  });
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: email => (email.trim() === '' ? 'Which e-mail do you log in with?' : null),
      password: password => (password === '' ? 'The password is missing.' : null),
    },
  });

  return (
    <Outside title="Log in">
      <form onSubmit={form.onSubmit(wish => logIn.mutate(wish))} noValidate>
        <Stack>
          {logIn.error && <ErrorNotice error={logIn.error} />}
          <TextInput
            label="E-mail"
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
    </Outside>
  );
}
