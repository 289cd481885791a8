import { Stack } from '@mantine/core';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import classes from './account.module.css';
import { AppearanceCard } from './appearance-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** One's own account: theme and times, password, second factor, sessions. */
export default function AccountPage() {
  const account = useCall('GET /account');
  return (
    <Page title="Account" lead={account.data?.email}>
      {account.error && <ErrorNotice error={account.error} onRetry={() => void account.refetch()} />}
      {account.isPending && <Loading />}
      {account.data && (
        <Stack gap="md" className={classes.cards ?? ''}>
          <AppearanceCard display={account.data} />
          <PasswordCard email={account.data.email} />
          <SecondFactorCard account={account.data} />
          <SessionsCard />
        </Stack>
      )}
    </Page>
  );
}
