import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { InvitationRecord, WhoAmI } from '@sluice/contract/dashboard-accounts';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { PublicFrame } from '../../components/public-frame.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { useLogIn } from '../../lib/use-log-in.ts';
import { CodeStep } from './code-step.tsx';

/** What the link in an invitation opens: it makes the account where there is none, and logs in. */
export default function InvitationPage() {
  const { code = '' } = useParams({ strict: false });
  const invitation = useCall('GET /invitations/:code', { code });

  if (invitation.data) return <Accept code={code} invitation={invitation.data} />;
  if (invitation.error === null) return <Loading />;
  return (
    <PublicFrame title="This invitation cannot be opened">
      <ErrorNotice error={invitation.error} />
      <Text size="sm">Ask whoever invited you for a new link, or log in if you have joined already.</Text>
      <Button component={Link} to="/login" variant="default">
        Log in
      </Button>
    </PublicFrame>
  );
}

function Accept({ code, invitation }: { code: string; invitation: InvitationRecord }) {
  const { email, role, organisation, has_account: hasAccount } = invitation;
  const session = useCall('GET /session');
  const enterAs = useLogIn();
  const accept = useMutation<WhoAmI, CallError, { password: string; code?: string }>({
    mutationFn: body => call('POST /invitations/:code', { code, body }),
    onSuccess: who => enterAs(who, '/'),
  });
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: password => (password === '' ? 'The password is missing.' : null) },
  });
  // The password was right, and the account asks for a code too.
  const [proved, setProved] = useState<string | null>(null);
  if (accept.error?.code === 'second_factor_required' && accept.variables && proved === null) {
    setProved(accept.variables.password);
  }
  const other = session.error === null && session.data?.user.email !== email ? session.data : undefined;
  const atPassword = errorAt(accept.error, 'password');

  if (proved !== null) {
    return (
      <CodeStep
        error={accept.error?.code === 'second_factor_required' ? null : accept.error}
        isPending={accept.isPending}
        onCode={given => accept.mutate({ password: proved, code: given })}
        onBack={() => {
          accept.reset();
          setProved(null);
        }}
      />
    );
  }
  return (
    <PublicFrame
      title={`Join ${organisation.name}`}
      lead={`You are invited as ${role}. ${
        hasAccount
          ? 'You already have an account here: enter its password.'
          : 'Choose a password to create your account; if you already have an account here, enter its password.'
      }`}
    >
      <form onSubmit={form.onSubmit(input => accept.mutate(input))} noValidate>
        <Stack>
          {other && (
            <Alert variant="light">
              You are logged in as {other.user.email}. Accepting logs you in as {email} instead.
            </Alert>
          )}
          {accept.error && !atPassword && <ErrorNotice error={accept.error} />}
          <TextInput label="Email" value={email} readOnly autoComplete="username" />
          <PasswordInput
            label="Password"
            description={hasAccount ? undefined : 'At least 8 characters.'}
            autoComplete={hasAccount ? 'current-password' : 'new-password'}
            autoFocus
            {...form.getInputProps('password')}
            error={form.errors.password ?? atPassword}
          />
          <Button type="submit" loading={accept.isPending} fullWidth>
            Join {organisation.name}
          </Button>
        </Stack>
      </form>
    </PublicFrame>
  );
}
