import { useEffect, useState } from 'react';
import { parseExact, stringifyExact } from './api/exact-json.ts';
import { slugOfTab } from './organisation.ts';

/**
 * What somebody is filling in, kept in this tab until it is saved or left, so that a reload loses nothing. Secrets are
 * never kept: whoever gives a draft here takes them out.
 */
const keyOf = (name: string): string => `draft ${slugOfTab() ?? ''} ${name}`;

/** With what it is a draft of: where somebody else has saved since, taking it up would undo that unseen. */
interface Kept<T> {
  readonly of: string;
  readonly draft: T;
}

function readDraft<T>(name: string, of: string): T | null {
  try {
    const text = sessionStorage.getItem(keyOf(name));
    const kept = text === null ? null : (parseExact(text) as Kept<T>);
    return kept?.of === of ? kept.draft : null;
  } catch {
    return null;
  }
}

export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name));

interface KeptDraft<T> {
  readonly draft: T;
  /** It is what a reload would have lost. */
  readonly isRestored: boolean;
  change(changed: (before: T) => T): void;
}

/** `isFirst`: whether what was kept is taken up; a form that begins again after a save has nothing to restore. */
export function useKeptDraft<T>(
  name: string,
  initial: T,
  options: {
    readonly isFirst: boolean;
    isChanged(draft: T): boolean;
    withoutSecrets(draft: T): T;
  },
): KeptDraft<T> {
  const { isChanged, withoutSecrets } = options;
  const of = stringifyExact(initial, 0);
  const [kept, setKept] = useState(() => (options.isFirst ? readDraft<T>(name, of) : null));
  const [draft, setDraft] = useState(kept ?? initial);
  const isUnsaved = isChanged(draft);
  // Once it was saved or given up, what is typed afterwards was never lost.
  if (kept !== null && !isUnsaved) setKept(null);
  const text = isUnsaved ? stringifyExact({ of, draft: withoutSecrets(draft) } satisfies Kept<T>, 0) : null;
  useEffect(() => {
    if (text === null) dropDraft(name);
    else sessionStorage.setItem(keyOf(name), text);
  }, [name, text]);
  return { draft, isRestored: kept !== null && isUnsaved, change: setDraft };
}
