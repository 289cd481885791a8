/** Chance that can be repeated: the same seed and name give the same numbers (mulberry32 over an FNV-1a hash). */
export interface Dice {
  /** From 0 up to 1. */
  fraction(): number;
  /** A whole number from `least` up to and including `most`. */
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  /** True so often. */
  chance(probability: number): boolean;
}

export function createDice(seed: number, name: string): Dice {
  let state = 2_166_136_261 ^ seed;
  for (const character of name) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619);
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const dice: Dice = {
    fraction,
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    pick(from) {
      const picked = from[Math.floor(fraction() * from.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
    chance: probability => fraction() < probability,
  };
  return dice;
}
