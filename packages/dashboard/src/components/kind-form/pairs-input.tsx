import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type Pair, readValue, toPairs } from './pairs.ts';

interface PairsInputProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly withAsterisk: boolean;
  readonly error: string | null;
  readonly value: unknown;
  /** Whether values are texts as they are written, and never JSON. */
  readonly areTexts: boolean;
  onChange(value: unknown): void;
}

/** An object whose names are free: a row for each. Values that are no text are written as JSON. */
export function PairsInput({ value, onChange, areTexts, ...common }: PairsInputProps) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => toPairs(value, areTexts));
  const change = (changed: readonly Pair[]) => {
    setPairs(changed);
    const given = changed.filter(([name]) => name !== '');
    onChange(
      given.length === 0
        ? undefined
        : Object.fromEntries(given.map(([name, text]) => [name, areTexts ? text : readValue(text)])),
    );
  };
  const changeRow = (index: number, row: Pair) => change(pairs.map((pair, i) => (i === index ? row : pair)));

  return (
    <Input.Wrapper {...common}>
      <Stack gap={6} mt={4}>
        {pairs.map(([name, text], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name is being typed
          <Group key={index} gap={6} wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={`${common.label}: name ${index + 1}`}
              value={name}
              onChange={event => changeRow(index, [event.currentTarget.value, text])}
            />
            <TextInput
              flex={1}
              aria-label={`${common.label}: value ${index + 1}`}
              value={text}
              onChange={event => changeRow(index, [name, event.currentTarget.value])}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name || 'the row'}`}
              onClick={() => change(pairs.filter((_, i) => i !== index))}
            >
              <IconX size={15} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setPairs([...pairs, ['', '']])}
        >
          Add
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
