import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { useMemo } from 'react';
import { Card } from '../../components/card.tsx';
import { TimeBrush } from '../../components/time-brush/time-brush.tsx';
import { formatDuration, formatLatency, formatNumber } from '../../lib/format.ts';
import { hasLonePoint, latencyRows, type ThroughputRow, throughputRows } from './chart-rows.ts';
import { describeInterval, formatShort } from './format.ts';
import classes from './overview.module.css';
import { describeRange, type Range } from './ranges.ts';

const events = [
  { name: 'processed', label: 'Processed', color: 'water.6' },
  { name: 'dropped', label: 'Dropped', color: 'gray.5' },
  { name: 'unrouted', label: 'Unrouted', color: 'gray.7' },
  { name: 'waiting', label: 'Unprocessed', color: 'blue.5' },
  { name: 'failed', label: 'Failed', color: 'red.6' },
];
const deliveries = [
  { name: 'delivered', label: 'Delivered', color: 'water.6' },
  { name: 'open', label: 'Open', color: 'blue.5' },
  { name: 'dead', label: 'Dead', color: 'red.6' },
];
const percentiles = [
  { name: 'p50', label: 'p50', color: 'water.6' },
  { name: 'p95', label: 'p95', color: 'blue.6' },
  { name: 'p99', label: 'p99', color: 'grape.6' },
];

const common = {
  h: 220,
  dataKey: 'at',
  withLegend: true,
  legendProps: { itemSorter: null },
  tickLine: 'none',
  gridAxis: 'x',
  xAxisProps: { minTickGap: 48 },
} as const;

const FEW_POINTS = 30;

/** What the time of a chart runs along: without its axes and its legend. */
const PLOT = '.recharts-cartesian-grid';

/** Throughput and latency, step by step. What is drawn over is zoomed into. */
export default function Charts({
  overview,
  range,
  onZoom,
}: {
  overview: OverviewRecord;
  range: Range;
  onZoom(from: number, to: number): void;
}) {
  const rows = useMemo(() => throughputRows(overview), [overview]);
  const times = useMemo(() => latencyRows(overview.latency), [overview.latency]);
  const each = `In each ${describeInterval(overview.step_s)}`;
  const when = describeRange(range);
  const brush = { window: windowOf(overview, rows.length), plot: PLOT, onBrush: onZoom };
  const { received } = overview.totals;
  const { delivered } = overview.present;
  const cut = [
    ...(overview.more_dead ? ['dead letters'] : []),
    ...(overview.open.more ? ['open deliveries'] : []),
  ];
  const bars = {
    ...common,
    data: rows,
    type: 'stacked' as const,
    valueFormatter: formatShort,
    barProps: { isAnimationActive: false },
    yAxisProps: { allowDecimals: false, width: 44 },
  };
  return (
    <div className={classes.charts}>
      <Card title="Event throughput" lead={`${each} · drag to zoom`}>
        <TimeBrush {...brush}>
          <div role="img" aria-label={`Received ${formatNumber(received)} ${when}`}>
            <BarChart {...bars} series={drawnOf(events, rows)} />
          </div>
        </TimeBrush>
      </Card>
      <Card
        title="Delivery throughput"
        lead={
          cut.length > 0
            ? `${each}; only the latest ${formatNumber(MOST_COUNTED)} ${cut.join(' and ')} are counted`
            : `${each} · drag to zoom`
        }
      >
        <TimeBrush {...brush}>
          <div role="img" aria-label={`Delivered ${formatNumber(delivered)} ${when}`}>
            <BarChart {...bars} series={drawnOf(deliveries, rows)} />
          </div>
        </TimeBrush>
      </Card>
      <Card
        title="Latency over time"
        lead={`In each ${describeInterval(overview.latency.step_s)} · drag to zoom`}
      >
        <TimeBrush {...brush} window={windowOf(overview.latency, times.length)}>
          <div role="img" aria-label={`p95 ${formatLatency(overview.latency.p95_ms)} ${when}`}>
            <LineChart
              {...common}
              data={times}
              series={percentiles}
              curveType="linear"
              withDots={times.length < FEW_POINTS || hasLonePoint(overview.latency.series.p50)}
              connectNulls={false}
              // A tick would be broken at the space before its unit.
              valueFormatter={ms => formatDuration(ms).replace(' ', '\u00a0')}
              lineProps={{ isAnimationActive: false }}
              // A step is as wide as it is in the other charts, and not a point from edge to edge.
              xAxisProps={{ ...common.xAxisProps, scale: 'band' }}
              yAxisProps={{ width: 56 }}
            />
          </div>
        </TimeBrush>
      </Card>
    </div>
  );
}

/** What never happened has no colour to look for in the legend, and each series costs as much to draw as the next. */
const drawnOf = (all: typeof events, rows: readonly ThroughputRow[]): typeof events =>
  all.filter(({ name }, n) => n === 0 || rows.some(row => row[name as keyof ThroughputRow] !== 0));

const windowOf = ({ from, step_s }: { from: string; step_s: number }, points: number) => ({
  from: Date.parse(from),
  stepMs: step_s * 1_000,
  points,
});
