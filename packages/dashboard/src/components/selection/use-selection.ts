import { type RefObject, useMemo, useRef, useState } from 'react';

const NONE: ReadonlySet<string> = new Set();
const NO_ROWS: readonly never[] = [];

interface Selectable {
  readonly id: string;
}

const idsOf = (rows: readonly Selectable[]) => rows.map(({ id }) => id);

/** What is selected among the rows of a list, and how that changes. The functions stay the same. */
export interface Selection<Row extends Selectable> {
  /** In the order of the list. */
  readonly rows: readonly Row[];
  readonly ids: ReadonlySet<string>;
  /** How many are shown. */
  readonly shown: number;
  /** As many as one action takes. */
  readonly most: number;
  /** The one for all: the focus goes there from what can be done with a selection that is no more. */
  readonly allBox: RefObject<HTMLInputElement | null>;
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
  of: string;
  rows: readonly Row[];
  most: number;
}): Selection<Row> {
  const { rows: shown, most } = options;
  // Whoever comes back to a query begins with nothing, as with any other.
  const of = useMemo(() => ({ query: options.of }), [options.of]);
  const [chosen, setChosen] = useState({ of, ids: NONE });
  const kept = chosen.of === of ? chosen.ids : NONE;
  const rows = useMemo(() => selectedOf(shown, kept, most), [kept, shown, most]);
  const ids = useMemo(() => new Set(idsOf(rows)), [rows]);
  const allBox = useRef<HTMLInputElement>(null);
  // What the functions go by, so that they need not change with each answer of the server.
  const now = useRef({ ...options, of });
  now.current = { ...options, of };

  const actions = useMemo(() => {
    const change = (next: (before: readonly string[]) => Iterable<string>) =>
      setChosen(({ of: query, ids: before }) => {
        const list = now.current;
        const selected = query === list.of ? selectedOf(list.rows, before, list.most) : NO_ROWS;
        return { of: list.of, ids: new Set(next(idsOf(selected))) };
      });
    return {
      toggle: ({ id }: Row) =>
        change(before => {
          if (before.includes(id)) return before.filter(each => each !== id);
          return before.length < now.current.most ? [...before, id] : before;
        }),
      toggleAll: () =>
        change(before => {
          const all = idsOf(now.current.rows.slice(0, now.current.most));
          return before.length === all.length ? NONE : all;
        }),
      deselect: (id: string) => change(before => before.filter(each => each !== id)),
      clear() {
        change(() => NONE);
        allBox.current?.focus();
      },
    };
  }, []);

  const count = shown.length;
  return useMemo(
    () => ({ ...actions, rows, ids, shown: count, most, allBox, has: ({ id }) => ids.has(id) }),
    [actions, rows, ids, count, most],
  );
}

/** The same where it is none, so that nothing is drawn again for a list that has only moved. */
function selectedOf<Row extends Selectable>(
  shown: readonly Row[],
  ids: ReadonlySet<string>,
  most: number,
): readonly Row[] {
  const selected = ids.size === 0 ? NO_ROWS : shown.filter(({ id }) => ids.has(id)).slice(0, most);
  return selected.length === 0 ? NO_ROWS : selected;
}
