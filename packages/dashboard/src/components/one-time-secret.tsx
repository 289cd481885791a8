import { Alert, Group, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { CopyIcon } from './copy.tsx';

/** A secret that the server answers this once. */
export function OneTimeSecret({ secret, what = 'secret' }: { secret: string; what?: string }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconKey size={18} aria-hidden />}
      title={`Copy this ${what} now`}
      styles={{ wrapper: { minWidth: 0 }, body: { minWidth: 0 } }}
    >
      <Group gap={4} wrap="nowrap">
        {/* Nobody can look up later what would be cut here. */}
        <Text span className="mono" style={{ overflowWrap: 'anywhere' }}>
          {secret}
        </Text>
        <CopyIcon text={secret} label={`Copy ${what}`} />
      </Group>
      <Text size="xs" mt={4}>
        You won’t be able to see this again.
      </Text>
    </Alert>
  );
}
