import { TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useFilters } from '../app/use-filters.ts';
import { isTyping } from '../app/use-go-keys.ts';

/** Narrows a short list by a text that lives in the address. `/` goes to it. */
export function ListFilter({ placeholder }: { placeholder: string }) {
  const [{ text = '' }, setFilters] = useFilters();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <TextInput
      ref={input}
      aria-label="Filter"
      placeholder={placeholder}
      maw={340}
      leftSection={<IconFilter size={15} aria-hidden />}
      value={text}
      onChange={event => setFilters({ text: event.currentTarget.value })}
    />
  );
}

/** Whether any of these texts holds what was asked for. */
export const holdsText = (asked: string | undefined, ...texts: readonly string[]): boolean =>
  texts.some(text => text.toLowerCase().includes((asked ?? '').trim().toLowerCase()));
