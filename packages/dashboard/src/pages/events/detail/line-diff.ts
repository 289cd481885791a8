/** One line of two texts laid over each other. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * Past so many changes a closer look costs more than it tells: what differs is then shown as taken out and put in
 * whole. Its cost grows with the square of this.
 */
const MOST_EDITS = 1_200;

/**
 * The shortest way from one text to the other, line by line (Myers' algorithm). Lines whose keys are the same are the
 * same, and are shown as they stand after.
 */
export function diffLines(before: string, after: string, keyOf = (line: string) => line): DiffLine[] {
  const from = before.split('\n');
  const to = after.split('\n');
  const a = from.map(keyOf);
  const b = to.map(keyOf);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...to.slice(0, start).map(same),
    ...diffMiddle(
      { keys: a.slice(start, a.length - end), lines: from.slice(start, a.length - end) },
      { keys: b.slice(start, b.length - end), lines: to.slice(start, b.length - end) },
    ),
    ...to.slice(b.length - end).map(same),
  ];
}

interface Side {
  readonly keys: readonly string[];
  readonly lines: readonly string[];
}

function diffMiddle(a: Side, b: Side): DiffLine[] {
  const rounds = furthestReaches(a.keys, b.keys);
  if (rounds === null) {
    return [
      ...a.lines.map((text): DiffLine => ({ kind: 'removed', text })),
      ...b.lines.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  }
  return walkBack(a.lines, b.lines, rounds);
}

/**
 * For each number of edits, how far into `a` every diagonal can be followed with that many; null where there are too
 * many edits. A diagonal k holds the places where x - y is k.
 */
function furthestReaches(a: readonly string[], b: readonly string[]): Int32Array[] | null {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const rounds: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const at = (k: number) => reach[k + most + 1] ?? 0;
  for (let edits = 0; edits <= most; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
      let x = isDown ? at(k + 1) : at(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[k + most + 1] = x;
      if (x >= a.length && x - k >= b.length) {
        rounds.push(reach.slice(most - edits, most + edits + 3));
        return rounds;
      }
    }
    rounds.push(reach.slice(most - edits, most + edits + 3));
  }
  return null;
}

/** From the end to the beginning, each round undoing one edit. */
function walkBack(a: readonly string[], b: readonly string[], rounds: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const before = rounds[edits - 1];
    const at = (k: number) => before?.[k + edits] ?? 0;
    const k = x - y;
    const isDown = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const fromX = isDown ? at(k + 1) : at(k - 1);
    const fromY = fromX - (isDown ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      lines.push({ kind: 'same', text: b[--y] ?? '' });
      x--;
    }
    if (isDown) lines.push({ kind: 'added', text: b[--y] ?? '' });
    else lines.push({ kind: 'removed', text: a[--x] ?? '' });
  }
  while (y > 0) lines.push({ kind: 'same', text: b[--y] ?? '' });
  return lines.reverse();
}

/** A run of lines that are shown, or of unchanged ones that are passed over. */
export type DiffPart =
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
