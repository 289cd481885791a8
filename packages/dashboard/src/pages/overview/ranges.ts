/**
 * How far back the overview looks, by the word that stands for it in the address. The lists that it leads to know it
 * too.
 */
export const ranges = {
  '1h': { label: '1 h', words: 'the last hour', minutes: 60 },
  '24h': { label: '24 h', words: 'the last day', minutes: 24 * 60 },
  '7d': { label: '7 d', words: 'the last 7 days', minutes: 7 * 24 * 60 },
} as const;

export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];

export const toRange = (word: string | undefined): RangeName =>
  rangeNames.find(name => name === word) ?? '1h';
