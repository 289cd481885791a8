import { useCallback, useMemo, useState } from 'react';

const NONE: ReadonlySet<string> = new Set();

interface Selectable {
  readonly id: string;
}

/** What is selected among the rows of a list, and how that changes. */
export interface Selection<Row extends Selectable> {
  /** In the order of the list. */
  readonly rows: readonly Row[];
  readonly ids: ReadonlySet<string>;
  /** How many are shown. */
  readonly shown: number;
  /** As many as one action takes. */
  readonly most: number;
  has(row: Row): boolean;
  toggle(row: Row): void;
  /** All that are shown, or the first of them where one action takes no more; none, where that is so already. */
  toggleAll(): void;
  deselect(id: string): void;
  clear(): void;
}

/**
 * Selects rows for what can be done with several. Only what is shown is ever selected: another query shows others, and
 * a list that moves loses some, and nobody acts on what they no longer see.
 */
export function useSelection<Row extends Selectable>(options: {
  /** The query that the rows are of. */
  of: unknown;
  rows: readonly Row[];
  most: number;
}): Selection<Row> {
  const { of, rows: shown, most } = options;
  const [chosen, setChosen] = useState({ of, ids: NONE });
  const kept = chosen.of === of ? chosen.ids : NONE;
  const rows = useMemo(
    () => (kept.size === 0 ? [] : shown.filter(({ id }) => kept.has(id)).slice(0, most)),
    [kept, shown, most],
  );
  const ids = useMemo(() => new Set(rows.map(({ id }) => id)), [rows]);
  const select = useCallback((next: Iterable<string>) => setChosen({ of, ids: new Set(next) }), [of]);

  return useMemo(
    () => ({
      rows,
      ids,
      shown: shown.length,
      most,
      has: ({ id }) => ids.has(id),
      toggle({ id }) {
        if (ids.has(id)) select([...ids].filter(each => each !== id));
        else if (ids.size < most) select([...ids, id]);
      },
      toggleAll() {
        const all = shown.slice(0, most).map(({ id }) => id);
        select(ids.size === all.length ? NONE : all);
      },
      deselect: id =>
        setChosen(before => ({ ...before, ids: new Set([...before.ids].filter(each => each !== id)) })),
      clear: () => select(NONE),
    }),
    [rows, ids, shown, most, select],
  );
}
