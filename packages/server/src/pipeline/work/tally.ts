export interface Load {
  events: number;
  bytes: number;
}

const NONE: Readonly<Load> = { events: 0, bytes: 0 };

/** How much there is, of which organisation and in all. */
export function createTally() {
  const all: Load = { ...NONE };
  const ofEach = new Map<string, Load>();
  return {
    all,
    of: (orgId: string): Readonly<Load> => ofEach.get(orgId) ?? NONE,
    owners: () => ofEach.keys(),
    add(orgId: string, { events, bytes }: Readonly<Load>, by: 1 | -1): void {
      const own = ofEach.get(orgId) ?? { ...NONE };
      for (const load of [all, own]) {
        load.events += by * events;
        load.bytes += by * bytes;
      }
      if (own.events > 0) ofEach.set(orgId, own);
      else ofEach.delete(orgId);
    },
    clear(): void {
      Object.assign(all, NONE);
      ofEach.clear();
    },
  };
}
