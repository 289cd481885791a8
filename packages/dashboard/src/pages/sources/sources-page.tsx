import { Button, Group, Tooltip } from '@mantine/core';
import type { SourceRowFigures } from '@sluice/contract/dashboard-figures';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type FiguresTime, FiguresTimePicker, useFiguresTime } from '../../components/figures-time.tsx';
import { holdsText, ListFilter } from '../../components/list-filter.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useSorting } from '../../components/use-sorting.ts';
import { namesOf, usePipelinesOf } from '../../components/used-by.tsx';
import { useAll, useCall } from '../../lib/api/use-call.ts';
import { formatNumber, formatPerHour } from '../../lib/format.ts';
import { useMay } from '../../lib/session.tsx';
import { formatPercent } from '../../lib/share.ts';
import { labelOfSourceKind } from '../../lib/source-kind.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { describeSource, openWarning } from './source-labels.ts';

type Row = SourceRecord & { readonly figures: SourceRowFigures | undefined };

const pageOf = ({ id }: SourceRecord) => `/sources/${id}`;

/** Of the requests that came, those that were rejected; null where nobody counts them. */
function rejectedPercent({ received, rejected }: SourceRowFigures): number | null {
  return rejected === null || received + rejected === 0 ? null : (rejected / (received + rejected)) * 100;
}

/** Where events come from, and how much from each. */
export default function SourcesPage() {
  const mayChange = useMay()('sources.change');
  const [{ text }] = useFilters();
  const time = useFiguresTime('list');
  const sources = useAll('GET /sources', {}, { live: true });
  const figures = useCall('GET /figures/sources', { minutes: time.minutes }, { live: true, keep: true });
  const pipelinesOf = usePipelinesOf();
  const all = sources.data ?? [];
  const hasOwn = all.some(({ kind }) => kind !== 'system');
  const figuresOf = new Map(figures.data?.rows.map(row => [row.id, row]));

  const columns: readonly Column<Row>[] = [
    {
      header: 'Name',
      width: 'minmax(120px, 1.4fr)',
      narrowWidth: 'minmax(80px, 1fr)',
      sort: { name: 'name', value: ({ name }) => name },
      cell: source => (
        <Link to={pageOf(source)} search={time.search}>
          {source.name}
        </Link>
      ),
    },
    {
      header: 'Kind',
      width: '72px',
      sort: { name: 'kind', value: ({ kind }) => labelOfSourceKind(kind) },
      cell: ({ kind }) => labelOfSourceKind(kind),
      onlyWide: true,
    },
    {
      header: 'Accepts',
      width: 'minmax(110px, 1fr)',
      cell: source => <Takes source={source} />,
      onlyWidest: true,
    },
    {
      header: 'Pipelines',
      width: 'minmax(100px, 1fr)',
      cell: ({ id }) => namesOf(pipelinesOf(id)),
      onlyWidest: true,
    },
    {
      header: 'Events/h',
      width: '84px',
      narrowWidth: '72px',
      isNumber: true,
      sort: { name: 'events', value: row => row.figures?.received ?? null },
      cell: row => <Received row={row} time={time} />,
    },
    {
      header: 'Rejected',
      width: '80px',
      narrowWidth: '74px',
      isNumber: true,
      sort: { name: 'rejected', value: row => (row.figures ? rejectedPercent(row.figures) : null) },
      cell: row => <Rejected figures={row.figures} />,
    },
    {
      header: 'Last event',
      width: '92px',
      onlyWide: true,
      sort: {
        name: 'last',
        value: ({ last_event_at }) => (last_event_at === null ? null : Date.parse(last_event_at)),
      },
      cell: ({ last_event_at }) => <RelativeTime at={last_event_at} />,
    },
    {
      header: 'Events over time',
      width: '72px',
      onlyWide: true,
      isHeaderHidden: true,
      cell: row => row.figures && <Sparkline values={row.figures.line} isOpen />,
    },
    {
      header: 'State',
      width: '76px',
      sort: { name: 'state', value: stateOf },
      cell: source => <StateBadge state={stateOf(source)} />,
    },
  ];
  const matching = all
    .filter(source => holdsText(text, source.name, labelOfSourceKind(source.kind), describeSource(source)))
    .map(source => ({ ...source, figures: figuresOf.get(source.id) }));
  const { rows: shown, sorting } = useSorting(matching, columns);

  return (
    <Page
      title="Sources"
      lead="Where events come from: webhook URLs, and the types that your code sends."
      fill
      actions={mayChange && hasOwn && <NewSource />}
    >
      {sources.error && <ErrorNotice error={sources.error} onRetry={() => void sources.refetch()} />}
      {sources.isPending && !sources.error && <Loading />}
      {sources.data && !hasOwn && (
        <Empty
          sentence="No sources yet. A source gives you a URL that accepts whatever is posted to it, or selects events that your code sends."
          action={mayChange && <NewSource />}
        />
      )}
      {figures.error && <ErrorNotice error={figures.error} onRetry={() => void figures.refetch()} />}
      {hasOwn && (
        <Group justify="space-between" gap="xs">
          <ListFilter placeholder="Filter by name, kind or type" />
          <FiguresTimePicker time={time} />
        </Group>
      )}
      {all.length > 0 && shown.length === 0 && <Empty sentence="No sources match" />}
      {shown.length > 0 && (
        <Rows
          label="Sources"
          columns={columns}
          rows={shown}
          keyOf={({ id }) => id}
          pageOf={pageOf}
          pageSearch={time.search}
          sorting={sorting}
        />
      )}
    </Page>
  );
}

const stateOf = ({ enabled }: SourceRecord): string => (enabled ? 'enabled' : 'disabled');

/** Leads to the events that it counts. */
function Received({ row, time }: { row: Row; time: FiguresTime }) {
  if (row.figures === undefined) return '…';
  const { received } = row.figures;
  return (
    <Link
      to="/events"
      search={{ source: row.id, within: time.name }}
      title={`${formatNumber(received)} in ${time.words}`}
    >
      {formatPerHour(received, time.hours)}
    </Link>
  );
}

function Rejected({ figures }: { figures: SourceRowFigures | undefined }) {
  if (figures === undefined) return '…';
  const percent = rejectedPercent(figures);
  if (percent === null) return '–';
  return (
    <span title={`${formatNumber(figures.rejected ?? 0)} requests rejected`}>{formatPercent(percent)}</span>
  );
}

const NewSource = () => (
  <Button component={Link} to="/sources/new" leftSection={<IconPlus size={16} aria-hidden />}>
    New source
  </Button>
);

function Takes({ source }: { source: SourceRecord }) {
  if (source.kind === 'sdk') return <span className="mono">{source.match}</span>;
  if (source.kind === 'system' || source.auth !== 'none') return describeSource(source);
  return (
    <Tooltip label={openWarning} multiline w={300}>
      <Group gap={4} wrap="nowrap">
        <IconAlertTriangle size={15} color="var(--mantine-color-orange-filled)" aria-label="Warning:" />
        {describeSource(source)}
      </Group>
    </Tooltip>
  );
}
