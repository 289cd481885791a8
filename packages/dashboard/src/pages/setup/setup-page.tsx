import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useWindowEvent } from '@mantine/hooks';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { PublicFrame } from '../../components/public-frame.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import type { GivenTo } from '../../lib/api/path.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { useLogIn } from '../../lib/use-log-in.ts';

type SetupInput = GivenTo<'POST /setup'>['body'];

const LEAST_PASSWORD_LENGTH = 8;

/** The printed address carries the code behind a `#`, which no browser sends and no proxy logs. */
const codeIn = ({ hash, search }: Location): string =>
  new URLSearchParams(search).get('code') ?? hash.slice(1);

/** The set-up: whoever has the one-time code makes the first user. */
export default function SetupPage() {
  const setup = useCall('GET /setup');
  if (setup.data?.open) return <SetupForm />;
  if (setup.data) {
    return (
      <PublicFrame title="Set-up is complete" lead="The first user has been created and can invite others.">
        <Button component={Link} to="/login">
          Log in
        </Button>
      </PublicFrame>
    );
  }
  if (setup.error === null) return <Loading />;
  return (
    <PublicFrame title="Set-up is unavailable">
      <ErrorNotice error={setup.error} onRetry={() => void setup.refetch()} />
    </PublicFrame>
  );
}

function SetupForm() {
  const enterAs = useLogIn();
  const setUp = useMutation<WhoAmI, CallError, SetupInput>({
    mutationFn: body => call('POST /setup', { body }),
    onSuccess: who => enterAs(who, '/welcome'),
  });
  const printed = codeIn(window.location);
  const form = useForm<SetupInput>({
    initialValues: { code: printed, organisation: '', email: '', password: '' },
    validate: {
      code: code => (code.trim() === '' ? 'The server printed it when it started.' : null),
      organisation: name => (name.trim() === '' ? 'Any name will do; it can be changed later.' : null),
      email: email => (/^\S+@\S+$/.test(email.trim()) ? null : 'This is not an email address.'),
      password: password =>
        password.length < LEAST_PASSWORD_LENGTH ? `At least ${LEAST_PASSWORD_LENGTH} characters.` : null,
    },
    transformValues: input => ({ ...input, code: input.code.trim(), email: input.email.trim() }),
  });
  // The printed address may be opened where this page stands already: then only what is behind the `#` changes.
  useWindowEvent('hashchange', () => form.setFieldValue('code', codeIn(window.location)));
  const { error } = setUp;
  const propsOf = (field: keyof SetupInput) => ({
    ...form.getInputProps(field),
    error: form.errors[field] ?? refusalAt(error, field),
  });
  const shownAtField = (Object.keys(form.values) as (keyof SetupInput)[]).some(field =>
    refusalAt(error, field),
  );

  return (
    <PublicFrame
      title="Set up Sluice"
      lead="The first user owns the first organisation, and can invite others."
    >
      <form onSubmit={form.onSubmit(input => setUp.mutate(input))} noValidate>
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
            label="Email"
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
            Create account
          </Button>
        </Stack>
      </form>
    </PublicFrame>
  );
}

/** A refusal of the code names no field, but there is only one that it can be about. */
const refusalAt = (error: CallError | null, field: keyof SetupInput): string | null =>
  field === 'code' && error?.status === 401 ? error.message : errorAt(error, field);
