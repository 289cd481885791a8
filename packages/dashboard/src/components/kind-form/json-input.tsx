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

/** A text is what is no JSON yet: it stays as it was typed, after a reload too. */
const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : stringifyExact(value);

/** What is wrong with it; null where it is JSON or empty. */
function faultOf(text: string): string | null {
  try {
    if (text.trim() !== '') parseExact(text);
    return null;
  } catch (problem) {
    return `This is not JSON yet: ${problem instanceof Error ? problem.message : String(problem)}`;
  }
}

/**
 * An object or a list, written as JSON. What is no JSON yet is sent as the text that it is, and refused at its field.
 */
export function JsonInput({ value, onChange, error, ...common }: JsonInputProps) {
  const [text, setText] = useState(() => textOf(value));
  const change = (given: string) => {
    setText(given);
    if (given.trim() === '') onChange(undefined);
    else onChange(faultOf(given) === null ? parseExact(given) : given);
  };
  return (
    <Textarea
      {...common}
      error={faultOf(text) ?? error}
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
