import type { BadgesRecord } from '@sluice/contract/dashboard-figures';
import { formatCapped, formatNumber } from '../lib/format.ts';

/** What stands beside the pages of the side bar: a number to see, and what it counts to be heard. */
interface PageBadge {
  readonly text: string;
  readonly name: string;
  readonly isBad: boolean;
}

/** By the page that it stands beside; what is zero has none. */
export function badgesOf(record: BadgesRecord | undefined): Readonly<Record<string, PageBadge>> {
  if (record === undefined) return {};
  const { dead_letters, destinations_down, running_jobs } = record;
  return {
    ...(dead_letters.count > 0 && {
      '/dead-letters': badge(formatCapped(dead_letters), dead_letters.count, 'dead letter', true),
    }),
    ...(destinations_down > 0 && {
      '/destinations': {
        text: formatNumber(destinations_down),
        name: `${formatNumber(destinations_down)} ${destinations_down === 1 ? 'destination' : 'destinations'} down`,
        isBad: true,
      },
    }),
    ...(running_jobs > 0 && {
      '/jobs': badge(formatNumber(running_jobs), running_jobs, 'running job', false),
    }),
  };
}

const badge = (text: string, count: number, noun: string, isBad: boolean): PageBadge => ({
  text,
  name: `${text} ${noun}${count === 1 ? '' : 's'}`,
  isBad,
});
