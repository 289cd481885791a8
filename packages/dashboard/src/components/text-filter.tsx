import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { isPageShortcut } from '../lib/page-shortcuts.ts';
import { useFilters } from '../lib/use-filters.ts';

const TYPED_AFTER_MS = 350;

interface TextFilterProps extends TextInputProps {
  readonly name: string;
  /** `/` goes to it. */
  readonly isFirst?: boolean;
}

/** A text that a list is narrowed by. It lives in the address, which changes when somebody has stopped typing. */
export function TextFilter({ name, isFirst = false, ...looks }: TextFilterProps) {
  const [filters, change] = useFilters();
  const inAddress = filters[name] ?? '';
  const [typed, setTyped] = useState(inAddress);
  const input = useRef<HTMLInputElement>(null);
  // The address follows a moment later: only what others put there may stand in place of what is being typed.
  const written = useRef(inAddress);
  const write = (value: string) => {
    written.current = value;
    change({ [name]: value });
  };
  const apply = useDebouncedCallback(write, TYPED_AFTER_MS);

  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setTyped(inAddress);
  }, [inAddress]);

  useEffect(() => {
    if (!isFirst) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isPageShortcut(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isFirst]);

  return (
    <TextInput
      {...looks}
      ref={input}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        apply(value);
      }}
      onKeyDown={event => {
        if (event.key === 'Enter') write(typed);
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
