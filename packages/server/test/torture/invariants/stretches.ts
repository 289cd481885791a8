import type { FaultLine } from '../lines.ts';

/** A time, from when to when. */
export type Stretch = Pick<FaultLine, 'at' | 'until'>;

export const overlap = ({ at, until }: Stretch, from: number, to: number): number =>
  Math.max(0, Math.min(until, to) - Math.max(at, from));

/** Faults that go on at the same time are one stretch of it. */
export function unionOf(faults: readonly Stretch[]): Stretch[] {
  const union: Stretch[] = [];
  for (const { at, until } of faults.toSorted((one, other) => one.at - other.at)) {
    const last = union.at(-1);
    if (last === undefined || at > last.until) union.push({ at, until });
    else union[union.length - 1] = { at: last.at, until: Math.max(last.until, until) };
  }
  return union;
}

export const touches = ({ at, until }: Stretch, from: number, to: number): boolean =>
  at <= to && until >= from;
