import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { parseExact, stringifyExact } from '../../api/exact-json.ts';

interface PairsInputProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly withAsterisk: boolean;
  readonly error: string | null;
  readonly disabled: boolean;
  readonly value: unknown;
  onChange(value: unknown): void;
}

type Pair = readonly [name: string, text: string];

/** An object whose names are free: a row for each. Values that are no text are written as JSON. */
export function PairsInput({ value, onChange, disabled, ...common }: PairsInputProps) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => toPairs(value));
  const change = (changed: readonly Pair[]) => {
    setPairs(changed);
    const given = changed.filter(([name]) => name !== '');
    onChange(
      given.length === 0
        ? undefined
        : Object.fromEntries(given.map(([name, text]) => [name, readValue(text)])),
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
              disabled={disabled}
              onChange={event => changeRow(index, [event.currentTarget.value, text])}
            />
            <TextInput
              flex={1}
              aria-label={`${common.label}: value ${index + 1}`}
              value={text}
              disabled={disabled}
              onChange={event => changeRow(index, [name, event.currentTarget.value])}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              disabled={disabled}
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
          disabled={disabled}
          onClick={() => setPairs([...pairs, ['', '']])}
        >
          Add
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

const toPairs = (value: unknown): Pair[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, each]) => [
        name,
        typeof each === 'string' ? each : stringifyExact(each, 0),
      ])
    : [];

/** `{"select": …}`, `true` and `12` are what they say; everything else is a text. */
function readValue(text: string): unknown {
  if (!/^\s*(?:[[{]|-?\d|true\b|false\b|null\b)/.test(text)) return text;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
