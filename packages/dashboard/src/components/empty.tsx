import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Command } from './copy.tsx';

/** An empty page: one sentence, one main action, and one command to copy where there is one. */
export function Empty(props: { sentence: string; action?: ReactNode; command?: string }) {
  return (
    <Stack align="center" gap="md" py={56} px="md">
      <Text c="dimmed" ta="center" maw={460}>
        {props.sentence}
      </Text>
      {props.action}
      {props.command && <Command text={props.command} />}
    </Stack>
  );
}
