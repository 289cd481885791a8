/** Numbers of the overview as text. */

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12.3K`, where there is little room. */
export const formatShort = (amount: number): string => short.format(amount);

/** `12/min`, `0.4/min`, `3.1K/min`. */
export const formatPerMinute = (perMinute: number): string =>
  `${perMinute < 10 ? Math.round(perMinute * 10) / 10 : formatShort(perMinute)}/min`;

/** What one step of a chart is called: `minute`, `15 minutes`, `2 hours`. */
export function describeInterval(seconds: number): string {
  const [amount, unit] = seconds < 3_600 ? [seconds / 60, 'minute'] : [seconds / 3_600, 'hour'];
  return amount === 1 ? unit : `${amount} ${unit}s`;
}
