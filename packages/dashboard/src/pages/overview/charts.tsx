import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { useMemo } from 'react';
import { Card } from '../../components/card.tsx';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { latencyRows, throughputRows } from './chart-rows.ts';
import { describeInterval, formatShort } from './format.ts';
import classes from './overview.module.css';
import { type RangeName, ranges } from './ranges.ts';

const events = [
  { name: 'processed', label: 'Processed', color: 'water.6' },
  { name: 'dropped', label: 'Dropped', color: 'gray.5' },
  { name: 'unrouted', label: 'Unrouted', color: 'gray.7' },
  { name: 'waiting', label: 'Unprocessed', color: 'blue.5' },
  { name: 'failed', label: 'Failed', color: 'red.6' },
];
const deliveries = [
  { name: 'delivered', label: 'Delivered', color: 'water.6' },
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

/** Throughput and latency, step by step. */
export default function Charts({ overview, range }: { overview: OverviewRecord; range: RangeName }) {
  const rows = useMemo(() => throughputRows(overview, range), [overview, range]);
  const times = useMemo(() => latencyRows(overview.latency, range), [overview.latency, range]);
  const each = `In each ${describeInterval(overview.step_s)}`;
  const { received } = overview.totals;
  const { delivered } = overview.present;
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
      <Card title="Event throughput" lead={each}>
        <div role="img" aria-label={`Received ${formatNumber(received)} within ${ranges[range].words}`}>
          <BarChart {...bars} series={events} />
        </div>
      </Card>
      <Card
        title="Delivery throughput"
        lead={
          overview.more_dead
            ? `${each}; of the dead letters only the latest ${formatNumber(overview.totals.dead)}`
            : each
        }
      >
        <div role="img" aria-label={`Delivered ${formatNumber(delivered)} within ${ranges[range].words}`}>
          <BarChart {...bars} series={deliveries} />
        </div>
      </Card>
      <Card title="Latency over time" lead={`In each ${describeInterval(overview.latency.step_s)}`}>
        <div
          role="img"
          aria-label={`p95 ${formatDuration(overview.latency.p95_ms)} within ${ranges[range].words}`}
        >
          <LineChart
            {...common}
            data={times}
            series={percentiles}
            curveType="linear"
            withDots={times.length < 30}
            connectNulls={false}
            valueFormatter={formatDuration}
            lineProps={{ isAnimationActive: false }}
            yAxisProps={{ width: 56 }}
          />
        </div>
      </Card>
    </div>
  );
}
