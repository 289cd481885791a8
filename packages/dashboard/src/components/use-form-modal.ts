import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import { dropDraft, useKeptDraft } from '../lib/kept-draft.ts';
import { isSame } from './form-baseline/changes.ts';
import { useLeaveGuard } from './leave-guard.tsx';

interface FormModal<T> {
  readonly isOpen: boolean;
  readonly draft: T;
  /** It was typed before a reload. */
  readonly isRestored: boolean;
  /** Something was typed before a reload, but what it was about has been saved elsewhere since. */
  readonly isOutdated: boolean;
  change(changed: (before: T) => T): void;
  open(): void;
  /** Closes it, after asking where something was typed. */
  close(): void;
  /** It was saved: closes it without asking. */
  done(): void;
  /** Asks before it is closed or the page left; to be drawn beside the modal. */
  readonly question: ReactNode;
}

/**
 * A form in a modal. What was typed is asked about before it is lost, and after a reload the modal is open again with
 * it. For forms without secrets: all of the draft is kept.
 */
export function useFormModal<T>(
  name: string,
  initial: T,
  isTyped: (draft: T) => boolean = draft => !isSame(draft, initial),
): FormModal<T> {
  const { draft, isRestored, isOutdated, change } = useKeptDraft(name, initial, {
    isFirst: true,
    isChanged: isTyped,
    withoutSecrets: one => one,
  });
  // Also where what was typed is gone, to say so in the place where it was.
  const [isOpen, { open, close }] = useDisclosure(isRestored || isOutdated);
  const [wasTold, setWasTold] = useState(false);
  if (!isOpen && isOutdated && !wasTold) setWasTold(true);
  // Closed, it holds nothing of its own: what was typed is given up, and what is stored may have changed.
  if (!isOpen && !isSame(draft, initial)) change(() => initial);
  // Open, it follows what others save until something is typed.
  const [was, setWas] = useState(initial);
  if (!isSame(was, initial)) {
    setWas(initial);
    if (isSame(draft, was)) change(() => initial);
  }
  const isDone = useRef(false);
  const guard = useLeaveGuard({
    isUnsaved: () => isOpen && !isDone.current && isTyped(draft),
    isKept: true,
    onLeave: () => dropDraft(name),
  });
  return {
    isOpen,
    draft,
    isRestored,
    isOutdated: isOutdated && !wasTold,
    change,
    open() {
      isDone.current = false;
      open();
    },
    close: () => guard.ask(close),
    done() {
      isDone.current = true;
      close();
    },
    question: guard.question,
  };
}
