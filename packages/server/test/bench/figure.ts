/** One line of the table: what was measured, what came out, and what was asked for. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  /** Empty where nothing is asked for. */
  readonly wanted: string;
  readonly met: boolean;
}

export interface Section {
  readonly name: string;
  readonly about: string;
  /** How long it takes; one that takes three times as long is given up. */
  readonly minutes: number;
  run(): Promise<Figure[]>;
}

export const thousands = (n: number): string => Math.round(n).toLocaleString('en-GB');

export const atLeast = (name: string, value: number, wanted: number, note = ''): Figure => ({
  name,
  measured: `${show(value)}${note}`,
  wanted: `≥ ${show(wanted)}`,
  met: value >= wanted,
});

export const atMost = (name: string, value: number, wanted: number, note = ''): Figure => ({
  name,
  measured: `${show(value)}${note}`,
  wanted: `≤ ${show(wanted)}`,
  met: value <= wanted,
});

/** A figure that nothing is asked of. */
export const plainly = (name: string, measured: string): Figure => ({
  name,
  measured,
  wanted: '',
  met: true,
});

/** Such as ` (20,276 of 54,584 requests/s)`. */
export const outOf = (rate: number, whole: number, unit: string): string =>
  ` (${thousands(rate)} of ${thousands(whole)} ${unit})`;

const show = (value: number): string => (value >= 100 ? thousands(value) : value.toFixed(2));
