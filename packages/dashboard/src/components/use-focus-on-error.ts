import { type RefObject, useEffect, useRef } from 'react';
import type { CallError } from '../lib/api/call.ts';

/** The form that was refused. Its button may be far below the field that is wrong: that comes into sight, ready to be filled in. */
export function useFocusOnError(error: CallError | null): RefObject<HTMLFormElement | null> {
  const ref = useRef<HTMLFormElement>(null);
  // A form that begins again may begin with what was refused before.
  const seen = useRef(error);
  useEffect(() => {
    const form = ref.current;
    if (error === seen.current) return;
    seen.current = error;
    if (error === null || form === null) return;
    const field = form.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.focus({ preventScroll: true });
    // Notices stand above the fields; what is wrong with none of them is said last.
    const notice = [...form.querySelectorAll('[role=alert]')].at(-1);
    const wrong = field ?? form.querySelector('.mantine-InputWrapper-error') ?? notice;
    wrong?.scrollIntoView({ block: 'center' });
  }, [error]);
  return ref;
}
