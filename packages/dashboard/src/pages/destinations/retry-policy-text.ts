import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';

/** The retry policy in words, and its delays as people write them. */

type Retries = Pick<DeliveryPolicy, 'attempts' | 'schedule_s'>;

/** The delay before each attempt; the last repeats. */
const delaysOf = ({ attempts, schedule_s }: Retries): number[] =>
  Array.from({ length: attempts }, (_, i) => schedule_s[Math.min(i, schedule_s.length - 1)] ?? 0);

/** `8 attempts over about 9 hours` */
export function describeRetries(policy: Retries): string {
  const span = delaysOf(policy).reduce((sum, delay) => sum + delay, 0);
  if (policy.attempts <= 1) return span > 0 ? `one attempt after ${formatSpan(span)}` : 'one attempt';
  if (span < 1) return `${policy.attempts} attempts, one right after the other`;
  return `${policy.attempts} attempts over about ${formatSpan(span)}`;
}

/** `immediately, then after 5 s, 30 s and 2 min` */
export function describeDelays(policy: Retries): string {
  const [first = 0, ...rest] = delaysOf(policy);
  const begin = first === 0 ? 'immediately' : `after ${formatDelay(first)}`;
  if (rest.length === 0) return begin;
  const shown = rest.length > 9 ? [...rest.slice(0, 7).map(formatDelay), '…'] : rest.map(formatDelay);
  const last = shown.pop() ?? '';
  return `${begin}, then after ${shown.length > 0 ? `${shown.join(', ')} and ` : ''}${last}`;
}

const units = [
  { name: 'second', short: 's', seconds: 1, upTo: 90 },
  { name: 'minute', short: 'min', seconds: 60, upTo: 90 * 60 },
  { name: 'hour', short: 'h', seconds: 3_600, upTo: 36 * 3_600 },
  { name: 'day', short: 'd', seconds: 86_400, upTo: Number.POSITIVE_INFINITY },
] as const;

/** Rounded: `9 hours`. */
export function formatSpan(seconds: number): string {
  const { name, seconds: size } = units.find(({ upTo }) => seconds < upTo) ?? units[3];
  const n = Math.max(1, Math.round(seconds / size));
  return n === 1 ? `${name === 'hour' ? 'an' : 'a'} ${name}` : `${n} ${name}s`;
}

/** Exact: `2 min`, `90 s`. */
function formatDelay(seconds: number): string {
  const exact = units.toReversed().find(({ seconds: size }) => seconds >= size && seconds % size === 0);
  return exact ? `${seconds / exact.seconds} ${exact.short}` : `${seconds} s`;
}

/** `0, 5s, 30s, 2m`, as they are written to be changed. */
export const writeDelays = (schedule: readonly number[]): string =>
  schedule
    .map(delay => (delay === 0 ? '0' : formatDelay(delay).replace(' ', '').replace('min', 'm')))
    .join(', ');

const sizes: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, min: 60, h: 3_600, d: 86_400 };

/** Null where something in it is no delay. */
export function readDelays(text: string): number[] | null {
  const words = text.split(/[\s,;]+/).filter(word => word !== '');
  const delays = words.map(word => {
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(s|m|min|h|d)?$/i.exec(word) ?? [];
    return amount === undefined ? Number.NaN : Number(amount) * (sizes[unit.toLowerCase()] ?? 1);
  });
  return delays.length > 0 && delays.every(Number.isFinite) ? delays : null;
}
