import { diffArrays } from 'diff';

/** One line of two texts laid over each other. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * Past so many changes a closer look costs more than it shows: all of it is then shown as removed and added. The cost
 * grows with the square of this.
 */
const MOST_EDITS = 800;

/** The line diff of two texts. Lines whose keys are the same are the same, and are shown as they stand after. */
export function diffLines(before: string, after: string, keyOf = (line: string) => line): DiffLine[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(from, to, {
    comparator: (one, other) => keyOf(one) === keyOf(other),
    maxEditLength: MOST_EDITS,
  }) ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ];
  return changes.flatMap(({ value, removed, added }) => {
    const kind = removed ? 'removed' : added ? 'added' : 'same';
    return value.map(text => ({ kind, text }) as const);
  });
}

/** A run of lines that are shown, or of unchanged ones that are passed over. */
type DiffPart =
  | { readonly kind: 'lines'; readonly from: number; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'gap'; readonly from: number; readonly lines: readonly DiffLine[] };

/** What changed with a little of what stands around it. */
export function foldUnchanged(lines: readonly DiffLine[], around = 3): DiffPart[] {
  const isNear = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, i - around), i + around + 1);
  }
  const parts: DiffPart[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from;
    while (to < lines.length && isNear[to] === isNear[from]) to++;
    // A gap of a line or two would take as much room as the lines themselves.
    const kind = isNear[from] === 1 || to - from < 3 ? 'lines' : 'gap';
    const before = parts.at(-1);
    if (kind === 'lines' && before?.kind === 'lines') {
      parts[parts.length - 1] = { ...before, lines: [...before.lines, ...lines.slice(from, to)] };
    } else {
      parts.push({ kind, from, lines: lines.slice(from, to) });
    }
    from = to;
  }
  return parts;
}
