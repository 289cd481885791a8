/**
 * How long things take, counted in classes that grow by half an octave: from 1 ms to a day in 54 of them.
 * A percentile is known to within the width of one class, which is exact enough to see that something is slow.
 */
const CLASSES_PER_OCTAVE = 2;
const LONGEST_MS = 86_400_000;
const CLASSES = Math.ceil(Math.log2(LONGEST_MS) * CLASSES_PER_OCTAVE) + 1;

/** The longest that a class holds. */
const upperMs = (index: number): number => 2 ** (index / CLASSES_PER_OCTAVE);

/** The name of the counter for something that took so long. */
export const latencyName = (ms: number): string => nameOf(classOf(ms));

const classOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(Math.ceil(Math.log2(ms) * CLASSES_PER_OCTAVE), CLASSES - 1);

const nameOf = (index: number): string => `latency_${index}`;

export const latencyNames: readonly string[] = Array.from({ length: CLASSES }, (_, index) => nameOf(index));

/** The character of class 0: from there on all classes are letters, digits and the signs between them. */
const FIRST_CHARACTER = 48;

/** Durations as they are handed on with every run: a character for the class of each. */
export function packDurations(durations: readonly number[]): string {
  let packed = '';
  for (const ms of durations) packed += String.fromCharCode(FIRST_CHARACTER + classOf(ms));
  return packed;
}

/** The name of the counter for one of them. */
export const packedLatencyName = (packed: string, index: number): string =>
  latencyNames[packed.charCodeAt(index) - FIRST_CHARACTER] ?? nameOf(0);

/** The time that this share of them did not exceed, from counts by name; null where there are none. */
export function latencyAt(share: number, counts: ReadonlyMap<string, number>): number | null {
  const total = latencyNames.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  if (total === 0) return null;
  const wanted = share * total;
  let before = 0;
  for (const [index, name] of latencyNames.entries()) {
    const count = counts.get(name) ?? 0;
    if (count === 0 || before + count < wanted) {
      before += count;
      continue;
    }
    const within = (wanted - before) / count;
    return Math.max(1, Math.round(upperMs(index - 1 + within)));
  }
  return Math.round(upperMs(CLASSES - 1));
}
