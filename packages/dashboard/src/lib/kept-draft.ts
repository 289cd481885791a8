import { useEffect, useState } from 'react';
import { parseExact, stringifyExact } from './api/exact-json.ts';
import { slugInAddress } from './organisation.ts';

/**
 * What somebody is filling in, kept in this tab until it is saved or left, so that a reload loses nothing. Secrets are
 * never kept: whoever gives a draft here takes them out.
 */
const keyOf = (name: string): string => `draft ${slugInAddress() ?? ''} ${name}`;

function readDraft<T>(name: string): T | null {
  try {
    const kept = sessionStorage.getItem(keyOf(name));
    return kept === null ? null : (parseExact(kept) as T);
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
  const [kept, setKept] = useState(() => (options.isFirst ? readDraft<T>(name) : null));
  const [draft, setDraft] = useState(kept ?? initial);
  const isUnsaved = isChanged(draft);
  // Once it was saved or given up, what is typed afterwards was never lost.
  if (kept !== null && !isUnsaved) setKept(null);
  const text = isUnsaved ? stringifyExact(withoutSecrets(draft), 0) : null;
  useEffect(() => {
    if (text === null) dropDraft(name);
    else sessionStorage.setItem(keyOf(name), text);
  }, [name, text]);
  return { draft, isRestored: kept !== null && isUnsaved, change: setDraft };
}
