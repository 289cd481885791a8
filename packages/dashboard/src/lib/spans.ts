/** Times that end now, each by the word that stands for it in an address. */
export const spans = {
  '15m': { short: '15 min', label: 'Last 15 minutes', minutes: 15 },
  '1h': { short: '1 h', label: 'Last hour', minutes: 60 },
  '24h': { short: '24 h', label: 'Last 24 hours', minutes: 24 * 60 },
  '7d': { short: '7 d', label: 'Last 7 days', minutes: 7 * 24 * 60 },
  '30d': { short: '30 d', label: 'Last 30 days', minutes: 30 * 24 * 60 },
} as const;

export type SpanName = keyof typeof spans;
export const spanNames = Object.keys(spans) as SpanName[];

/** What figures are of where the address has no word for it. */
export const USUAL_SPAN = '1h' satisfies SpanName;

/** `the last 24 hours` */
export const describeSpan = (name: SpanName): string => `the ${spans[name].label.toLowerCase()}`;
