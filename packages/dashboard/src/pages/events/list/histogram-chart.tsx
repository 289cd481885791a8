import { Button } from '@mantine/core';
import type { EventHistogram } from '@sluice/contract/dashboard-events';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { useMemo } from 'react';
import { ListCount } from '../../../components/list-count.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { TimeBrush } from '../../../components/time-brush/time-brush.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { timeFormat } from '../../../lib/time-display.ts';
import { useFilters } from '../../../lib/use-filters.ts';
import { barsOfHistogram, filterOfTime, type HistogramBar, windowOfHistogram } from './histogram-bars.ts';
import classes from './histogram-chart.module.css';

const moment = timeFormat({
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** How many events match, and when they came in. Drawing over the bars narrows the list to their time. */
export function HistogramChart({ histogram, isOld }: { histogram: EventHistogram; isOld: boolean }) {
  const [filters, change] = useFilters();
  const bars = useMemo(() => barsOfHistogram(histogram), [histogram]);
  const isTimed = Boolean(filters.within || filters.after || filters.before);
  return (
    <figure className={classes.histogram} aria-label="Events over time">
      <figcaption className={classes.caption}>
        <ListCount total={histogram.total} noun={['event', 'events']} />
        {histogram.counted_from !== null && (
          <span className={classes.note}>
            {histogram.total.count < MOST_COUNTED ? 'counted' : 'the chart goes'} back to{' '}
            <RelativeTime at={histogram.counted_from} />
          </span>
        )}
        {isTimed && (
          <Button
            variant="subtle"
            size="compact-xs"
            onClick={() => change({ within: '', after: '', before: '' })}
          >
            Reset time
          </Button>
        )}
      </figcaption>
      <TimeBrush
        window={windowOfHistogram(histogram)}
        onBrush={(from, to) => change({ within: '', ...filterOfTime(from, to) })}
      >
        <Plot bars={bars} isOld={isOld} />
      </TimeBrush>
      <Ends bars={bars} />
    </figure>
  );
}

function Plot({ bars, isOld }: { bars: readonly HistogramBar[]; isOld: boolean }) {
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  return (
    // The time filter above does the same by keyboard.
    <div className={classes.plot} data-old={isOld || undefined} data-testid="histogram" aria-hidden>
      {bars.map(bar => (
        <span
          key={bar.from}
          className={classes.slot}
          data-unknown={bar.isUnknown || undefined}
          title={`${moment.format(bar.from)}: ${bar.isUnknown ? 'not counted' : formatNumber(bar.count)}`}
        >
          {bar.count > 0 && (
            <span className={classes.bar} style={{ height: `${(bar.count / highest) * 100}%` }} />
          )}
        </span>
      ))}
    </div>
  );
}

function Ends({ bars }: { bars: readonly HistogramBar[] }) {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <div className={`${classes.ends} numbers`}>
      <span>{moment.format(first.from)}</span>
      <span>{moment.format(last.to)}</span>
    </div>
  );
}
