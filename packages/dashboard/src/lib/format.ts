/** Amounts and times as people read them. */
const whole = new Intl.NumberFormat('en');

/** `12,345` */
export const formatNumber = (amount: number): string => whole.format(amount);

/** `10,000+`, where nobody counted further. */
export const formatCapped = ({ count, more }: { readonly count: number; readonly more: boolean }): string =>
  `${formatNumber(count)}${more ? '+' : ''}`;

/** `0.4`, `12`, `12,345`: so many an hour, of so many in a time. */
export const formatPerHour = (amount: number, hours: number): string => {
  const rate = amount / hours;
  return rate > 0 && rate < 10
    ? String(Math.max(0.1, Math.round(rate * 10) / 10))
    : formatNumber(Math.round(rate));
};

/** `0.04 ms`, `35 ms`, `1.2 s`, `4 min`, `2.5 h`: two figures are enough. Nothing that took time took none. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '–';
  if (ms > 0 && ms < 0.005) return '<0.01 ms';
  if (ms < 1) return `${Math.round(ms * 100) / 100} ms`;
  const [unit, size] =
    ms < 1_000 ? ['ms', 1] : ms < 60_000 ? ['s', 1_000] : ms < 3_600_000 ? ['min', 60_000] : ['h', 3_600_000];
  const amount = ms / Number(size);
  return `${amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)} ${unit}`;
}

/** Of what is measured in whole milliseconds: 0 of them are less than one. */
export const formatWholeMs = (ms: number): string => (ms === 0 ? '<1 ms' : formatDuration(ms));

/** Of a percentile, which is known by classes of which the first ends at 1 ms. */
export const formatLatency = (ms: number | null): string =>
  ms !== null && ms <= 1 ? '≤ 1 ms' : formatDuration(ms);

const byteUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** `512 bytes`, `1.5 MB` */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), byteUnits.length - 1);
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${byteUnits[power]}`;
}

export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
