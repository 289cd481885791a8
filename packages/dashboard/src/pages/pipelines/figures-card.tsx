import { Text } from '@mantine/core';
import type { ClassifyFigures, PipelineFigures } from '@sluice/contract/dashboard-figures';
import type { PipelineDetails } from '@sluice/contract/dashboard-pipelines';
import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type FiguresTime, FiguresTimePicker, useFiguresTime } from '../../components/figures-time.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatLatency, formatNumber } from '../../lib/format.ts';
import { askedOf, savedOf } from './calls-saved.ts';
import { CameIn, FailedNow } from './linked-figures.tsx';
import classes from './pipeline.module.css';

/** Null while nothing is saved that could have figures. */
export function usePipelineFigures(id: string | null) {
  const time = useFiguresTime('page');
  const { data, error, refetch } = useCall(
    'GET /pipelines/:id/figures',
    id === null ? null : { id, minutes: time.minutes },
    { live: true, keep: true },
  );
  return { time, figures: data, error, retry: () => void refetch() };
}

/** What became of its events within a time. */
export function FiguresCard(props: {
  id: string;
  read: ReturnType<typeof usePipelineFigures>;
  /** Of all time. */
  classify: PipelineDetails['classify'];
}) {
  const { read, classify } = props;
  const { figures } = read;
  return (
    <Card title="Events" actions={<FiguresTimePicker time={read.time} />}>
      {read.error && <ErrorNotice error={read.error} onRetry={read.retry} />}
      {figures && (
        <>
          <Figures shown={figuresOf(figures, props.id, read.time)} />
          {askedOf(classify) > 0 && <Figures shown={classifyFigures(figures.classify, classify)} />}
          <Text size="xs" c="dimmed" mt="xs">
            Step figures are for version {figures.version}, saved <RelativeTime at={figures.since} />.
          </Text>
        </>
      )}
      {!figures && !read.error && <Text size="sm">…</Text>}
    </Card>
  );
}

type Shown = readonly (readonly [name: string, figure: ReactNode])[];

const figuresOf = (figures: PipelineFigures, id: string, time: FiguresTime): Shown => [
  ['In', <CameIn key="in" figures={figures} id={id} time={time} />],
  ['Dropped', formatNumber(figures.dropped)],
  ['Failed', <FailedNow key="failed" figures={figures} id={id} time={time} />],
  ['p95', formatLatency(figures.p95_ms)],
];

/** What its classify steps asked of models, and what they did not have to ask. */
function classifyFigures(lately: ClassifyFigures, ever: ClassifyFigures): Shown {
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
