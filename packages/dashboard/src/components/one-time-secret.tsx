import { Alert, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { CopyText } from './copy.tsx';

/** A secret that the server answers this once. */
export function OneTimeSecret({ secret, what = 'secret' }: { secret: string; what?: string }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconKey size={18} aria-hidden />}
      title={`Copy this ${what} now`}
    >
      <CopyText text={secret} label={`Copy ${what}`} />
      <Text size="xs" mt={4}>
        You won’t be able to see this again.
      </Text>
    </Alert>
  );
}
