import { SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { describeSpan, type SpanName, spans, USUAL_SPAN } from '../lib/spans.ts';
import { useFilters } from '../lib/use-filters.ts';

/** What the calls behind can say: a list tells of a hundred rows at once, and so of a day at most. */
const choicesOf = {
  list: ['1h', '24h'],
  page: ['1h', '24h', '7d', '30d'],
} as const satisfies Record<string, readonly SpanName[]>;

/** The time that figures are of. It lives in the address, by the same word on lists and pages. */
export interface FiguresTime {
  readonly name: SpanName;
  readonly minutes: number;
  /** `1,234 a day` is so many an hour. */
  readonly hours: number;
  /** `the last 24 hours` */
  readonly words: string;
  /** What the address of another page carries, for its figures to be of the same time. */
  readonly search: Readonly<Record<string, string>>;
  readonly choices: readonly SpanName[];
}

export function useFiguresTime(of: keyof typeof choicesOf): FiguresTime {
  const [{ within }] = useFilters();
  return useMemo(() => {
    const choices: readonly SpanName[] = choicesOf[of];
    const name = choices.find(one => one === within) ?? USUAL_SPAN;
    const { minutes } = spans[name];
    const search: FiguresTime['search'] = name === USUAL_SPAN ? {} : { within: name };
    return { name, minutes, hours: minutes / 60, words: describeSpan(name), search, choices };
  }, [of, within]);
}

export function FiguresTimePicker({ time }: { time: FiguresTime }) {
  const [, change] = useFilters();
  return (
    <SegmentedControl
      aria-label="Time range"
      size="xs"
      value={time.name}
      onChange={chosen => change({ within: chosen === USUAL_SPAN ? '' : chosen })}
      data={time.choices.map(name => ({ value: name, label: spans[name].short }))}
    />
  );
}
