import { Group, Text } from '@mantine/core';

export function Brand() {
  return (
    <Group gap={9} wrap="nowrap">
      <img src="/favicon.svg" alt="" width={24} height={24} />
      <Text fw={700} size="lg" lh={1}>
        Sluice
      </Text>
    </Group>
  );
}
