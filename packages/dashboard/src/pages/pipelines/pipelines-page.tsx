import { Badge, Button, Group, Switch, Text } from '@mantine/core';
import type { PipelineRowFigures } from '@sluice/contract/dashboard-figures';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FiguresTimePicker, useFiguresTime } from '../../components/figures-time.tsx';
import { holdsText, ListFilter } from '../../components/list-filter.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useSorting } from '../../components/use-sorting.ts';
import { useAll, useCall, useChange } from '../../lib/api/use-call.ts';
import { formatLatency, formatNumber } from '../../lib/format.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { useStepTitles } from '../../lib/use-step-titles.ts';
import { CameIn, FailedNow } from './linked-figures.tsx';

const LEAD = 'What happens to events between a source and its destinations.';

/** The list of pipelines, each with its sources and destinations. */
export default function PipelinesPage() {
  const pipelines = useAll('GET /pipelines', {}, { live: true });
  const sources = useNames(useAll('GET /sources', {}, { removed: true }).data);
  const destinations = useNames(useAll('GET /destinations', {}, { removed: true }).data);
  const [{ text }] = useFilters();
  const titleOf = useStepTitles();
  const mayChange = useMay()('pipelines.change');
  const change = useChange('PATCH /pipelines/:id');
  const time = useFiguresTime('list');
  const figures = useCall('GET /figures/pipelines', { minutes: time.minutes }, { live: true, keep: true });
  const figuresOf = new Map(figures.data?.rows.map(row => [row.id, row]));
  const matching = (pipelines.data ?? [])
    .filter(({ name, steps }) => holdsText(text, name, ...steps.flatMap(({ kind }) => [kind, titleOf(kind)])))
    .map(pipeline => ({ ...pipeline, figures: figuresOf.get(pipeline.id) }));

  const columns: readonly Column<Row>[] = [
    {
      header: 'Name',
      width: 'minmax(110px, 1.4fr)',
      narrowWidth: 'minmax(80px, 1fr)',
      sort: { name: 'name', value: ({ name }) => name },
      cell: ({ id, name }) => (
        <Link to={`/pipelines/${id}`} search={time.search}>
          {name}
        </Link>
      ),
    },
    { header: 'Sources', width: 'minmax(80px, 1fr)', onlyWidest: true, cell: row => sources(row.sources) },
    {
      header: 'Steps',
      width: 'minmax(96px, 2fr)',
      onlyWide: true,
      cell: ({ steps }) => <Steps steps={steps} titleOf={titleOf} />,
    },
    {
      header: 'Destinations',
      width: 'minmax(80px, 1fr)',
      onlyWidest: true,
      cell: row => destinations(row.destinations.map(({ id }) => id)),
    },
    figureColumn({ header: 'In', name: 'in', value: figures => figures.in }, (figures, id) => (
      <CameIn figures={figures} id={id} time={time} />
    )),
    {
      ...figureColumn({ header: 'Dropped', name: 'dropped', value: figures => figures.dropped }, figures =>
        formatNumber(figures.dropped),
      ),
      onlyWide: true,
    },
    figureColumn(
      { header: 'Failed', name: 'failed', value: figures => figures.failed.count },
      (figures, id) => <FailedNow figures={figures} id={id} time={time} />,
    ),
    {
      ...figureColumn({ header: 'p95', name: 'p95', value: figures => figures.p95_ms }, figures =>
        formatLatency(figures.p95_ms),
      ),
      onlyWide: true,
    },
    {
      header: 'Events over time',
      width: '56px',
      onlyWide: true,
      isHeaderHidden: true,
      cell: row => row.figures && <Sparkline values={row.figures.line} isOpen />,
    },
    {
      header: 'Enabled',
      width: '72px',
      sort: { name: 'enabled', value: ({ enabled }) => Number(enabled) },
      cell: ({ id, name, enabled }) =>
        mayChange ? (
          <Switch
            size="sm"
            aria-label={`${name} is enabled`}
            checked={enabled}
            disabled={change.isPending}
            onChange={event => change.mutate({ id, body: { enabled: event.currentTarget.checked } })}
          />
        ) : (
          <StateBadge state={enabled ? 'enabled' : 'disabled'} />
        ),
    },
  ];
  const { rows: shown, sorting } = useSorting(matching, columns);

  if (!pipelines.data) return <Waiting error={pipelines.error} onRetry={() => void pipelines.refetch()} />;
  const create = mayChange && (
    <Button component={Link} to="/pipelines/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New pipeline
    </Button>
  );
  if (pipelines.data.length === 0) {
    return (
      <Page title="Pipelines" lead={LEAD}>
        <Empty
          sentence="No pipelines yet. A pipeline takes the events of sources through steps to destinations; without one they are stored and not routed."
          action={create}
        />
      </Page>
    );
  }

  return (
    <Page title="Pipelines" lead={LEAD} actions={create} fill>
      <Group justify="space-between" gap="xs">
        <ListFilter placeholder="Filter by name or step" />
        <FiguresTimePicker time={time} />
      </Group>
      {figures.error && <ErrorNotice error={figures.error} onRetry={() => void figures.refetch()} />}
      {change.error && <ErrorNotice error={change.error} />}
      {shown.length === 0 ? (
        <Empty sentence="No pipelines match" />
      ) : (
        <Rows
          label="Pipelines"
          rows={shown}
          columns={columns}
          keyOf={({ id }) => id}
          pageOf={({ id }) => `/pipelines/${id}`}
          pageSearch={time.search}
          sorting={sorting}
        />
      )}
    </Page>
  );
}

type Row = PipelineRecord & { readonly figures: PipelineRowFigures | undefined };

/** A column of one figure. */
function figureColumn(
  {
    header,
    name,
    value,
  }: { header: string; name: string; value: (figures: PipelineRowFigures) => number | null },
  show: (figures: PipelineRowFigures, id: string) => ReactNode,
): Column<Row> {
  return {
    header,
    width: '64px',
    narrowWidth: '58px',
    isNumber: true,
    sort: { name, value: ({ figures }) => (figures ? value(figures) : null) },
    cell: ({ id, figures }) => (figures ? show(figures, id) : '…'),
  };
}

const MOST_CHIPS = 2;

function Steps(props: { steps: PipelineRecord['steps']; titleOf: (kind: string) => string }) {
  const { steps, titleOf } = props;
  if (steps.length === 0)
    return (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    );
  return (
    <Group gap={4} wrap="nowrap">
      {steps.slice(0, MOST_CHIPS).map(({ kind }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
        <Badge key={place} color="gray" tt="none" fw={500} miw={0} title={titleOf(kind)}>
          {titleOf(kind)}
        </Badge>
      ))}
      {steps.length > MOST_CHIPS && (
        <Text span size="xs" c="dimmed" flex="none">
          +{steps.length - MOST_CHIPS}
        </Text>
      )}
    </Group>
  );
}

/** The names of these ids, in one line. One that is not read yet, or gone since, has none. */
function useNames(rows: readonly { readonly id: string; readonly name: string }[] = []) {
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (ids: readonly string[]) =>
    ids.length === 0 ? (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    ) : (
      ids.map(id => names.get(id) ?? '…').join(', ')
    );
}
