import { Alert, Text } from '@mantine/core';
import { IconDeviceLaptop, IconKey } from '@tabler/icons-react';
import { Command } from '../../components/copy.tsx';

const commandOf = (token: string): string =>
  [
    `sluice listen --url ${window.location.origin}`,
    `  --token ${token}`,
    '  --forward http://localhost:3000/hook',
  ].join(' \\\n');

/** A long line scrolls inside, and does not widen the notice. */
const narrow = { body: { minWidth: 0 } };

/** The command that connects a developer's machine, with the token that is shown this once. */
export function ListenCommand({ token }: { token: string }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconKey size={18} aria-hidden />}
      styles={narrow}
      title="Run this on your machine"
    >
      <Command text={commandOf(token)} />
      <Text size="xs" c="dimmed" mt={4}>
        Put the address of your own server after --forward. You won’t be able to see the token again; rotating
        it creates another.
      </Text>
    </Alert>
  );
}

/** What keeps the deliveries of a listener back. */
export function NotListening() {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconDeviceLaptop size={18} aria-hidden />}
      styles={narrow}
      title="No machine is connected"
    >
      <Text size="sm">Deliveries are held until someone runs this with the token of the destination:</Text>
      <Command text={commandOf('lsn_…')} />
    </Alert>
  );
}
