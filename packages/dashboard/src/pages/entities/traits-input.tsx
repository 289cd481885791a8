import { Textarea } from '@mantine/core';
import { parseExact } from '../../lib/api/exact-json.ts';

/** Traits as JSON. */
export const TraitsInput = (props: { text: string; onText(text: string): void; problem: string | null }) => (
  <Textarea
    label="Traits"
    description="A JSON object: what is known about it."
    autosize
    minRows={5}
    maxRows={20}
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.82rem' } }}
    value={props.text}
    error={props.problem}
    onChange={event => props.onText(event.currentTarget.value)}
  />
);

type ReadTraits =
  | { readonly traits: Readonly<Record<string, unknown>>; readonly problem: null }
  | { readonly traits: null; readonly problem: string };

/** What is written there, or why that is none. Nothing written is no traits. */
export function readTraits(text: string): ReadTraits {
  try {
    const value = text.trim() === '' ? {} : parseExact(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { traits: value as Readonly<Record<string, unknown>>, problem: null }
      : { traits: null, problem: 'Traits are a JSON object, such as { "plan": "pro" }.' };
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    return { traits: null, problem: `This is not JSON yet: ${why}` };
  }
}
