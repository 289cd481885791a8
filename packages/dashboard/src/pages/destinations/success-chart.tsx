import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { CountersRecord } from '@sluice/contract/dashboard-overview';
import { timeFormat } from '../../lib/time-display.ts';

const DAY_S = 86_400;

/** What arrived and what failed, stretch by stretch. */
export default function SuccessChart({ counters }: { counters: CountersRecord }) {
  const { from, step_s, series } = counters;
  const { delivered = [], failed = [] } = series;
  const spansDays = delivered.length * step_s > DAY_S;
  const format = timeFormat({
    ...(spansDays ? { weekday: 'short' } : {}),
    hour: '2-digit',
    minute: '2-digit',
  });
  const points = delivered.map((count, i) => ({
    at: format.format(Date.parse(from) + i * step_s * 1_000),
    delivered: count,
    failed: failed[i] ?? 0,
  }));
  return (
    <BarChart
      h={180}
      data={points}
      dataKey="at"
      type="stacked"
      series={[
        { name: 'delivered', label: 'Delivered', color: 'water.6' },
        { name: 'failed', label: 'Failed attempts', color: 'red.6' },
      ]}
      withLegend
      tickLine="none"
      gridAxis="x"
      barProps={{ isAnimationActive: false }}
      yAxisProps={{ allowDecimals: false, width: 40 }}
      xAxisProps={{ minTickGap: 40 }}
    />
  );
}
