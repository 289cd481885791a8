import { Button, Stack } from '@mantine/core';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo } from 'react';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { lazily } from '../../lib/lazily.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { Cards } from './cards.tsx';
import { Failing } from './failing.tsx';
import { Figures } from './figures.tsx';
import { Funnel } from './funnel.tsx';
import classes from './overview.module.css';
import { RangePicker } from './range-picker.tsx';
import { addressOfRange, describeRange, queryOfRange, type Range, rangeOf } from './ranges.ts';
import { Strip } from './strip.tsx';
import { WhenVisible } from './when-visible.tsx';

const Charts = lazily(() => import('./charts.tsx'));
const FlowMap = lazily(() => import('./flow-map.tsx'));
const Top = lazily(() => import('./top.tsx'));

/** What came in, what became of it, how long it took, and what is wrong. */
export default function OverviewPage() {
  const [address] = useFilters();
  const { range: word = '', from = '', to = '' } = address;
  const range = useMemo(() => rangeOf({ range: word, from, to }), [word, from, to]);
  const overview = useCall('GET /overview', queryOfRange(range), { live: true, keep: true });

  return (
    <Page
      title="Overview"
      lead={`Events received ${describeRange(range)}, and what became of them.`}
      actions={!(overview.data && isFresh(overview.data)) && <RangePicker range={range} />}
    >
      {overview.error && <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />}
      {!overview.error && !overview.data && <Loading />}
      {overview.data &&
        (isFresh(overview.data) ? <Fresh /> : <Shown overview={overview.data} range={range} />)}
    </Page>
  );
}

/** Nobody has set anything up. What came in before everything was deleted is still worth a look. */
const isFresh = ({ has, totals }: OverviewRecord): boolean =>
  !has.sources && !has.pipelines && totals.received === 0;

function Fresh() {
  const may = useMay();
  if (!may('sources.change')) {
    return (
      <Empty sentence="Nothing is set up yet. A member of this organisation can create the first source." />
    );
  }
  return (
    <Empty
      sentence="Nothing is set up yet. Create a first source, a pipeline and an inbox in one step, and watch an event come through."
      action={
        <Button component={Link} to="/welcome">
          Send a first event
        </Button>
      }
    />
  );
}

function Shown({ overview, range }: { overview: OverviewRecord; range: Range }) {
  const navigate = useNavigate();
  const zoom = useCallback(
    (from: number, to: number) =>
      void navigate({ to: '.', search: addressOfRange({ ...range, between: { from, to } }) }),
    [navigate, range],
  );
  return (
    <Stack gap="md">
      <Strip overview={overview} />
      <Cards overview={overview} range={range} />
      <Card title="Map" lead="Sources, pipelines and destinations, and how much goes from one to the next">
        <WhenVisible className={classes.map ?? ''}>
          <Suspense fallback={<Loading />}>
            <FlowMap range={range} />
          </Suspense>
        </WhenVisible>
      </Card>
      <Funnel overview={overview} range={range} />
      <WhenVisible className={classes.chart ?? ''}>
        <Suspense fallback={<Loading />}>
          <Charts overview={overview} range={range} onZoom={zoom} />
        </Suspense>
      </WhenVisible>
      <WhenVisible className={classes.tops ?? ''}>
        <Suspense fallback={<Loading />}>
          <Top range={range} />
        </Suspense>
      </WhenVisible>
      <Figures overview={overview} range={range} />
      {overview.failing.length > 0 && <Failing destinations={overview.failing} range={range} />}
    </Stack>
  );
}
