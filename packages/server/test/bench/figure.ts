/** One line of the table: what was measured, what came out, and what was asked for. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly wanted: string;
  readonly met: boolean;
}

export interface Section {
  readonly name: string;
  readonly about: string;
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

const show = (value: number): string => (value >= 100 ? thousands(value) : value.toFixed(2));
