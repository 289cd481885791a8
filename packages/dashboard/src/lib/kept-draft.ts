import { useEffect, useState } from 'react';
import { parseExact, stringifyExact } from './api/exact-json.ts';
import { slugOfTab } from './organisation.ts';

/**
 * What somebody is filling in, kept in this tab until it is saved or left, so that a reload loses nothing. Secrets are
 * never kept: whoever gives a draft here takes them out.
 */
const PREFIX = 'draft ';
const keyOf = (name: string): string => `${PREFIX}${slugOfTab() ?? ''} ${name}`;

/** Whose drafts they are. */
const AUTHOR = 'author';

/** Called before anything that was kept is taken up: what somebody else was filling in here is theirs alone. */
export function keepDraftsOf(userId: string): void {
  if (sessionStorage.getItem(AUTHOR) === userId) return;
  dropAllDrafts();
  sessionStorage.setItem(AUTHOR, userId);
}

/** Those of all organisations. */
export function dropAllDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

/** With what it is a draft of: where somebody else has saved since, taking it up would undo that unseen. */
interface Kept<T> {
  readonly of: string;
  readonly draft: T;
}

function readDraft<T>(name: string): Kept<T> | null {
  try {
    const text = sessionStorage.getItem(keyOf(name));
    return text === null ? null : (parseExact(text) as Kept<T>);
  } catch {
    return null;
  }
}

export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name));

interface KeptDraft<T> {
  readonly draft: T;
  /** It is what a reload would have lost. */
  readonly isRestored: boolean;
  /** There was one, but what it is a draft of has been saved since: it is gone, and nothing else is typed yet. */
  readonly isOutdated: boolean;
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
  const [found] = useState(() => (options.isFirst ? readDraft<T>(name) : null));
  // What was saved just so, by whomever, has lost nothing.
  const [isOutdated] = useState(found !== null && found.of !== of && stringifyExact(found.draft, 0) !== of);
  const [kept, setKept] = useState(isOutdated ? null : (found?.draft ?? null));
  const [draft, setDraft] = useState(kept ?? initial);
  const isUnsaved = isChanged(draft);
  // Once it was saved or given up, what is typed afterwards was never lost.
  if (kept !== null && !isUnsaved) setKept(null);
  const text = isUnsaved ? stringifyExact({ of, draft: withoutSecrets(draft) } satisfies Kept<T>, 0) : null;
  useEffect(() => {
    if (text === null) dropDraft(name);
    else sessionStorage.setItem(keyOf(name), text);
  }, [name, text]);
  return {
    draft,
    isRestored: kept !== null && isUnsaved,
    isOutdated: isOutdated && !isUnsaved,
    change: setDraft,
  };
}
