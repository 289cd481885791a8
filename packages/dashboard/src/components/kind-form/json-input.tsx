import { Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { parseExact, stringifyExact } from '../../lib/api/exact-json.ts';

interface JsonInputProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly withAsterisk: boolean;
  readonly error: string | null;
  readonly value: unknown;
  onChange(value: unknown): void;
}

/**
 * A value of any shape, written as JSON. What is no JSON yet is sent as the text that it is, and refused at its field.
 */
export function JsonInput({ value, onChange, error, ...common }: JsonInputProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : stringifyExact(value)));
  const [broken, setBroken] = useState<string | null>(null);
  const change = (given: string) => {
    setText(given);
    try {
      onChange(given.trim() === '' ? undefined : parseExact(given));
      setBroken(null);
    } catch (problem) {
      onChange(given);
      setBroken(`This is not JSON yet: ${problem instanceof Error ? problem.message : String(problem)}`);
    }
  };
  return (
    <Textarea
      {...common}
      error={broken ?? error}
      value={text}
      onChange={event => change(event.currentTarget.value)}
      placeholder="{ }"
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.82rem' } }}
    />
  );
}
