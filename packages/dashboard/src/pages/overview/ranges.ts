/**
 * How far back the overview looks, by the word that stands for it in the address. The lists that it leads to know it
 * too.
 */
export const ranges = {
  '15m': { label: '15 min', words: 'the last 15 minutes', minutes: 15 },
  '1h': { label: '1 h', words: 'the last hour', minutes: 60 },
  '24h': { label: '24 h', words: 'the last 24 hours', minutes: 24 * 60 },
  '7d': { label: '7 d', words: 'the last 7 days', minutes: 7 * 24 * 60 },
  '30d': { label: '30 d', words: 'the last 30 days', minutes: 30 * 24 * 60 },
} as const;

export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];

export const toRange = (word: string | undefined): RangeName =>
  rangeNames.find(name => name === word) ?? '1h';
