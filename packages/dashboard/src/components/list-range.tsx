import { SegmentedControl } from '@mantine/core';
import { useFilters } from '../lib/use-filters.ts';

/** The time that the figures of a list are of. It lives in the address. */
const listRanges = {
  '1h': { label: 'Last hour', minutes: 60 },
  '24h': { label: 'Last 24 h', minutes: 1_440 },
} as const;
type ListRangeName = keyof typeof listRanges;

export interface FiguresTime {
  readonly name: ListRangeName;
  readonly minutes: number;
  /** `1,234 a day` is so many an hour. */
  readonly hours: number;
}

export function useListRange(): FiguresTime {
  const [{ within }] = useFilters();
  const name: ListRangeName = within === '24h' ? '24h' : '1h';
  const { minutes } = listRanges[name];
  return { name, minutes, hours: minutes / 60 };
}

export function ListRange() {
  const { name } = useListRange();
  const [, change] = useFilters();
  return (
    <SegmentedControl
      aria-label="Figures of"
      size="xs"
      value={name}
      onChange={value => change({ within: value === '1h' ? '' : value })}
      data={Object.entries(listRanges).map(([value, { label }]) => ({ value, label }))}
    />
  );
}
