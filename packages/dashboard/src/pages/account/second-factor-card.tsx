import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { AccountRecord } from '@sluice/contract/dashboard-own-account';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { PasswordDialog } from './password-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SecondFactorSetup } from './second-factor-setup.tsx';

const LEAD = 'A code from an authenticator app, in addition to your password, each time you log in.';

/** Two-factor authentication: turned on, its recovery codes, turned off. */
export function SecondFactorCard({ account }: { account: AccountRecord }) {
  const { on, since, recovery_codes_left: left } = account.second_factor;
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const offer = useChange('POST /account/second-factor/offer');
  const replace = useChange('POST /account/second-factor/recovery-codes');
  const turnOff = useChange('POST /account/second-factor/off');
  const badge = (
    <Badge color={on ? 'green' : 'gray'} variant="light" tt="none">
      {on ? 'On' : 'Off'}
    </Badge>
  );

  return (
    <Card title="Two-factor authentication" lead={LEAD} actions={badge}>
      {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      {!on && !offer.data && (
        <Button loading={offer.isPending} onClick={() => offer.mutate({})}>
          Turn on
        </Button>
      )}
      {!on && offer.data && (
        <SecondFactorSetup
          offer={offer.data}
          onCancel={offer.reset}
          onDone={given => {
            setCodes(given);
            offer.reset();
          }}
        />
      )}
      {on && (
        <Stack gap="sm" mt={codes ? 'md' : 0}>
          <Text size="sm">
            Turned on <RelativeTime at={since} />.{' '}
            {left === 1 ? '1 recovery code is' : `${left} recovery codes are`} left.
          </Text>
          <Group gap="xs">
            <PasswordDialog
              label="New recovery codes"
              explanation="Your current recovery codes stop working."
              act="Create new codes"
              onPassword={async password => {
                setCodes((await replace.mutateAsync({ body: { password } })).recovery_codes);
              }}
            />
            <PasswordDialog
              label="Turn off"
              explanation="You log in with your password alone from then on, and your recovery codes stop working."
              act="Turn off"
              colour="red"
              onPassword={async password => {
                await turnOff.mutateAsync({ body: { password } });
                setCodes(null);
              }}
            />
          </Group>
        </Stack>
      )}
    </Card>
  );
}
