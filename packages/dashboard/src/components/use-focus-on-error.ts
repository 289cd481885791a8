import { type RefObject, useEffect, useRef } from 'react';
import type { CallError } from '../lib/api/call.ts';

/** The form that was refused. Its button may be far below the field that is wrong: that comes into sight, ready to be filled in. */
export function useFocusOnError(error: CallError | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus({ preventScroll: true });
    form.current
      ?.querySelector('[aria-invalid=true], .mantine-InputWrapper-error, [role=alert]')
      ?.scrollIntoView({ block: 'center' });
  }, [error]);
  return form;
}
