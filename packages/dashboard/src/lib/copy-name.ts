const MOST_NAME = 100;

/** What a copy is called until somebody says otherwise. */
export const copyName = (name: string): string => `Copy of ${name}`.slice(0, MOST_NAME).trimEnd();
