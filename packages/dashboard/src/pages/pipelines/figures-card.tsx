import { SegmentedControl, Text } from '@mantine/core';
import type { PipelineFigures } from '@sluice/contract/dashboard-figures';
import type { PipelineDetails } from '@sluice/contract/dashboard-pipelines';
import { Card } from '../../components/card.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatLatency, formatNumber } from '../../lib/format.ts';
import { formatShare } from '../../lib/share.ts';
import { useFilters } from '../../lib/use-filters.ts';
import classes from './pipeline.module.css';

/** What became of its events within a time, which lives in the address. */
const figureRanges = {
  '1h': { label: '1 h', minutes: 60 },
  '24h': { label: '24 h', minutes: 1_440 },
  '7d': { label: '7 d', minutes: 10_080 },
  '30d': { label: '30 d', minutes: 43_200 },
} as const;
type FigureRange = keyof typeof figureRanges;

const isRange = (name: string | undefined): name is FigureRange => name !== undefined && name in figureRanges;

/** Null while nothing is saved that could have figures. */
export function usePipelineFigures(id: string | null) {
  const [{ within }] = useFilters();
  const range: FigureRange = isRange(within) ? within : '24h';
  const { minutes } = figureRanges[range];
  const { data } = useCall('GET /pipelines/:id/figures', id === null ? null : { id, minutes }, {
    live: true,
    keep: true,
  });
  return { range, figures: data };
}

export function FiguresCard(props: {
  range: FigureRange;
  figures: PipelineFigures | undefined;
  /** Of all time. */
  classify: PipelineDetails['classify'];
}) {
  const { range, figures, classify } = props;
  const [, change] = useFilters();
  return (
    <Card
      title="Events"
      actions={
        <SegmentedControl
          aria-label="Figures of"
          size="xs"
          value={range}
          onChange={value => change({ within: value === '24h' ? '' : value })}
          data={Object.entries(figureRanges).map(([value, { label }]) => ({ value, label }))}
        />
      }
    >
      {figures ? (
        <>
          <Figures shown={figuresOf(figures)} />
          {askedOf(classify) > 0 && <Figures shown={classifyFigures(figures.classify, classify)} />}
          <Text size="xs" c="dimmed" mt="xs">
            Figures at the steps are of version {figures.version}, saved <RelativeTime at={figures.since} />.
          </Text>
        </>
      ) : (
        <Text size="sm">…</Text>
      )}
    </Card>
  );
}

type Shown = readonly (readonly [name: string, figure: string])[];

const figuresOf = ({ in: came, dropped, failed, p95_ms }: PipelineFigures): Shown => [
  ['In', formatNumber(came)],
  ['Dropped', formatNumber(dropped)],
  ['Failed', formatNumber(failed)],
  ['p95', formatLatency(p95_ms)],
];

const askedOf = ({ model_called, cache_hit, call_shared }: PipelineFigures['classify']): number =>
  model_called + cache_hit + call_shared;

function savedOf(classify: PipelineFigures['classify']): string {
  const saved = classify.cache_hit + classify.call_shared;
  const share = formatShare(saved, askedOf(classify));
  return share === '' ? formatNumber(saved) : `${formatNumber(saved)} (${share})`;
}

/** What its classify steps asked of models, and what they did not have to ask. */
function classifyFigures(lately: PipelineFigures['classify'], ever: PipelineFigures['classify']): Shown {
  const { model_called, cache_hit, call_shared } = lately;
  return [
    ['Model calls', formatNumber(model_called)],
    ['Cache hits', formatNumber(cache_hit)],
    ['Shared calls', formatNumber(call_shared)],
    ['Calls saved', savedOf(lately)],
    ['Total saved', savedOf(ever)],
  ];
}

const Figures = ({ shown }: { shown: Shown }) => (
  <dl className={classes.figures}>
    {shown.map(([name, figure]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd className="numbers">{figure}</dd>
      </div>
    ))}
  </dl>
);
