import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { formatNumber } from '../lib/format.ts';

interface Total {
  readonly count: number;
  readonly more: boolean;
}

/** What is counted: one of them, and many. */
type Noun = readonly [one: string, many: string];

/** How many there are of what a list shows, above it. */
export const ListCount = ({ total, noun }: { total: Total; noun: Noun }) => (
  <span role="status" className="numbers" style={{ fontSize: '0.82rem', fontWeight: 600 }}>
    {describeCount(total, noun)}
  </span>
);

/** `1 event`, `10,000+ events`, or what a search came to before its time was up. */
export function describeCount({ count, more }: Total, [one, many]: Noun): string {
  const amount = formatNumber(count);
  const noun = count === 1 && !more ? one : many;
  if (!more) return `${amount} ${noun}`;
  return count >= MOST_COUNTED ? `${amount}+ ${noun}` : `At least ${amount} ${noun}`;
}
