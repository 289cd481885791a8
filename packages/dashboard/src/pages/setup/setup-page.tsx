import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useWindowEvent } from '@mantine/hooks';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CallError, call } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useEnter } from '../login/enter.ts';
import { errorAt } from '../login/field-error.ts';
import { Outside } from '../login/outside.tsx';

interface Wish {
  readonly code: string;
  readonly organisation: string;
  readonly email: string;
  readonly password: string;
}

const LEAST_PASSWORD_LENGTH = 8;

/** The printed address carries the code behind a `#`, which no browser sends and no proxy logs. */
const codeIn = ({ hash, search }: Location): string =>
  new URLSearchParams(search).get('code') ?? hash.slice(1);

export default function SetupPage() {
  const setup = useCall<{ open: boolean }>('/setup');
  if (setup.data?.open) return <SetupForm />;
  if (setup.data) {
    return (
      <Outside title="Set-up has been done" lead="The first user exists. Whoever that is can invite others.">
        <Button component={Link} to="/login">
          Log in
        </Button>
      </Outside>
    );
  }
  if (setup.error === null) return <Loading />;
  return (
    <Outside title="Set-up cannot be opened">
      <ErrorNotice error={setup.error} onRetry={() => void setup.refetch()} />
    </Outside>
  );
}

function SetupForm() {
  const enter = useEnter();
  const setUp = useMutation<WhoAmI, CallError, Wish>({
    mutationFn: wish => call<WhoAmI>('POST', '/setup', wish),
    onSuccess: who => enter(who, '/welcome'),
  });
  const printed = codeIn(window.location);
  const form = useForm<Wish>({
    initialValues: { code: printed, organisation: '', email: '', password: '' },
    validate: {
      code: code => (code.trim() === '' ? 'The server printed it when it started.' : null),
      organisation: name => (name.trim() === '' ? 'Any name will do; it can be changed later.' : null),
      email: email => (/^\S+@\S+$/.test(email.trim()) ? null : 'This is not an e-mail address.'),
      password: password =>
        password.length < LEAST_PASSWORD_LENGTH ? `At least ${LEAST_PASSWORD_LENGTH} characters.` : null,
    },
    transformValues: wish => ({ ...wish, code: wish.code.trim(), email: wish.email.trim() }),
  });
  // The printed address may be opened where this page stands already: then only what is behind the `#` changes.
  useWindowEvent('hashchange', () => form.setFieldValue('code', codeIn(window.location)));
  const { error } = setUp;
  const propsOf = (field: keyof Wish) => ({
    ...form.getInputProps(field),
    error: form.errors[field] ?? refusalAt(error, field),
  });
  const shownAtField = (Object.keys(form.values) as (keyof Wish)[]).some(field => refusalAt(error, field));

  return (
    <Outside title="Set up Sluice" lead="The first user owns the first organisation, and can invite others.">
      <form onSubmit={form.onSubmit(wish => setUp.mutate(wish))} noValidate>
        <Stack>
          {error && !shownAtField && <ErrorNotice error={error} />}
          <TextInput
            label="One-time code"
            description="The server printed it when it started."
            autoComplete="off"
            autoFocus={printed === ''}
            classNames={{ input: 'mono' }}
            {...propsOf('code')}
          />
          <TextInput
            label="Organisation"
            placeholder="Acme"
            autoComplete="organization"
            autoFocus={printed !== ''}
            {...propsOf('organisation')}
          />
          <TextInput
            label="E-mail"
            type="email"
            placeholder="ada@example.com"
            autoComplete="username"
            {...propsOf('email')}
          />
          <PasswordInput
            label="Password"
            description={`At least ${LEAST_PASSWORD_LENGTH} characters.`}
            autoComplete="new-password"
            {...propsOf('password')}
          />
          <Button type="submit" loading={setUp.isPending} fullWidth>
            Begin
          </Button>
        </Stack>
      </form>
    </Outside>
  );
}

/** A refusal of the code names no field, but there is only one that it can be about. */
const refusalAt = (error: CallError | null, field: keyof Wish): string | null =>
  field === 'code' && error?.status === 401 ? error.message : errorAt(error, field);
