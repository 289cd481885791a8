import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { useMemo } from 'react';
import { formatNumber } from '../../lib/format.ts';
import { chartRows } from './chart-rows.ts';
import { formatShort } from './format.ts';
import { type RangeName, ranges } from './ranges.ts';

/** The last one is drawn on top. */
const lines = [
  { name: 'lost', label: 'Failed or dead', color: 'red.6' },
  { name: 'dropped', label: 'Dropped', color: 'gray.5' },
  { name: 'delivered', label: 'Delivered', color: 'water.6' },
  { name: 'received', label: 'Received', color: 'blue.6' },
];

/** What came in and what arrived, step by step. */
export default function RatesChart({ overview, range }: { overview: OverviewRecord; range: RangeName }) {
  const rows = useMemo(() => chartRows(overview, range), [overview, range]);
  const { received, delivered } = overview.totals;
  return (
    <div
      role="img"
      aria-label={`Received ${formatNumber(received)} and delivered ${formatNumber(delivered)} within ${ranges[range].words}`}
    >
      <AreaChart
        h={272}
        data={rows}
        dataKey="at"
        series={lines}
        curveType="linear"
        withDots={false}
        withLegend
        legendProps={{ itemSorter: null }}
        strokeWidth={1.8}
        fillOpacity={0.12}
        gridAxis="x"
        tickLine="none"
        valueFormatter={formatShort}
        xAxisProps={{ minTickGap: 48 }}
        yAxisProps={{ allowDecimals: false, width: 44 }}
        areaProps={{ isAnimationActive: false }}
      />
    </div>
  );
}
