import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Stack, Text } from '@mantine/core';
import type { CountersRecord } from '@sluice/contract/dashboard-overview';
import { timeFormat } from '../../lib/time-display.ts';

const DAY_S = 86_400;

/**
 * What arrived, by when it was created, and below it the attempts that failed, by when they were made: a delivery may have any
 * number of them, so that the two are never on one axis.
 */
export default function SuccessChart({ counters }: { counters: CountersRecord }) {
  const { delivered = [], failed = [] } = counters.series;
  const hasFailed = failed.some(count => count > 0);
  return (
    <Stack gap="xs">
      <Bars counters={counters} line={delivered} label="Delivered" when="by creation time" color="water.6" />
      {hasFailed && (
        <Bars
          counters={counters}
          line={failed}
          label="Failed attempts"
          when="by attempt time"
          color="red.6"
        />
      )}
    </Stack>
  );
}

function Bars(props: {
  counters: CountersRecord;
  line: readonly number[];
  label: string;
  when: string;
  color: string;
}) {
  const { from, step_s } = props.counters;
  const spansDays = props.line.length * step_s > DAY_S;
  const format = timeFormat({
    ...(spansDays ? { weekday: 'short' } : {}),
    hour: '2-digit',
    minute: '2-digit',
  });
  const points = props.line.map((count, i) => ({
    at: format.format(Date.parse(from) + i * step_s * 1_000),
    count,
  }));
  return (
    <figure style={{ margin: 0 }} aria-label={`${props.label} over time`}>
      <Text component="figcaption" size="xs" c="dimmed">
        {props.label}, {props.when}
      </Text>
      <BarChart
        h={140}
        data={points}
        dataKey="at"
        series={[{ name: 'count', label: props.label, color: props.color }]}
        tickLine="none"
        gridAxis="x"
        barProps={{ isAnimationActive: false }}
        // Room for the upper half of the highest tick, which would stand below its line.
        barChartProps={{ margin: { top: 8 } }}
        yAxisProps={{ allowDecimals: false, width: 40, tickCount: 3 }}
        xAxisProps={{ minTickGap: 40 }}
      />
    </figure>
  );
}
