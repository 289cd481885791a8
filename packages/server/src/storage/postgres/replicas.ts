/** How many standbys a commit waits for, by `synchronous_standby_names`: `ANY 2 (a, b, c)`, `FIRST 1 (a)`, `a, b`. */
export function standbysWaitedFor(names: string): number {
  const counted = /^\s*(?:(?:any|first)\s+)?(\d+)\s*\(/i.exec(names);
  if (counted) return Number(counted[1]);
  // A list without a number waits for the first of it that is there.
  return names.trim() === '' ? 0 : 1;
}

/** The primary would acknowledge a commit that too few other machines have. It may wait for more in a moment. */
export class TooFewReplicas extends Error {
  constructor(names: string, required: number) {
    const found = names.trim() === '' ? 'is empty' : `is "${names}"`;
    super(
      `SLUICE_REQUIRE_REPLICAS asks for ${required}, but PostgreSQL waits for ${standbysWaitedFor(names)}: synchronous_standby_names ${found} there`,
    );
  }
}

export function requireReplicas(names: string, required: number): void {
  if (standbysWaitedFor(names) < required) throw new TooFewReplicas(names, required);
}
