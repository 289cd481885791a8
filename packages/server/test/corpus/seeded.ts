/** Figures that are the same in every run, for texts that are made of templates. */
export interface Seeded {
  /** From the first to the last, both included. */
  between(first: number, last: number): number;
  digits(length: number): string;
  /** The first digit is none of zero. */
  number(length: number): string;
  hex(length: number): string;
  letters(length: number): string;
  oneOf<T>(items: readonly T[]): T;
}

export function createSeeded(seed: number): Seeded {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const between = (first: number, last: number) => first + Math.floor(next() * (last - first + 1));
  const some = (length: number, of: string) =>
    Array.from({ length }, () => of.charAt(between(0, of.length - 1))).join('');
  return {
    between,
    digits: length => some(length, '0123456789'),
    number: length => some(1, '123456789') + some(length - 1, '0123456789'),
    hex: length => some(length, '0123456789abcdef'),
    letters: length => some(length, 'ABCDEFGHJKLMNPQRSTUVWXYZ'),
    oneOf: items => items[between(0, items.length - 1)] as (typeof items)[number],
  };
}
