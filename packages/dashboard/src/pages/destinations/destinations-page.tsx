import { Button, Group, Text } from '@mantine/core';
import type { DestinationRecord, DestinationState } from '@sluice/contract/dashboard-deliveries';
import type { DestinationRowFigures } from '@sluice/contract/dashboard-figures';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
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
import { useAll, useCall } from '../../lib/api/use-call.ts';
import { formatCapped, formatLatency, formatNumber, formatPerHour } from '../../lib/format.ts';
import { useMay } from '../../lib/session.tsx';
import { deliveredPercent, formatDelivered } from '../../lib/share.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { KindIcon } from './kind-icon.tsx';

/** The worst first. */
const states: readonly DestinationState[] = ['down', 'failing', 'held', 'paused', 'active'];

type Row = DestinationRecord & { readonly figures: DestinationRowFigures | undefined };

const pageOf = ({ id }: DestinationRecord) => `/destinations/${id}`;

/** Where events go, and how well each takes them. */
export default function DestinationsPage() {
  const mayChange = useMay()('destinations.change');
  const [{ text, state }] = useFilters();
  const time = useFiguresTime('list');
  const destinations = useAll('GET /destinations', {}, { live: true });
  const figures = useCall('GET /figures/destinations', { minutes: time.minutes }, { live: true, keep: true });
  const { data: kinds = [] } = useCall('GET /kinds/destinations');
  const titleOf = (kind: string) => kinds.find(one => one.kind === kind)?.title ?? kind;
  const all = destinations.data ?? [];
  const figuresOf = new Map(figures.data?.rows.map(row => [row.id, row]));

  const columns: readonly Column<Row>[] = [
    {
      header: 'Name',
      width: 'minmax(100px, 1.4fr)',
      narrowWidth: 'minmax(80px, 1fr)',
      sort: { name: 'name', value: ({ name }) => name },
      cell: one => (
        <Link to={pageOf(one)} search={time.search}>
          {one.name}
        </Link>
      ),
    },
    {
      header: 'Kind',
      width: 'minmax(105px, 1.1fr)',
      onlyWidest: true,
      sort: { name: 'kind', value: ({ kind }) => titleOf(kind) },
      cell: ({ kind }) => (
        <Group gap={6} wrap="nowrap">
          <KindIcon kind={kind} size={16} />
          <Text span inherit truncate title={titleOf(kind)}>
            {titleOf(kind)}
          </Text>
        </Group>
      ),
    },
    {
      header: 'Delivered/h',
      width: '84px',
      isNumber: true,
      onlyWide: true,
      sort: { name: 'delivered', value: row => row.figures?.present.delivered ?? null },
      cell: row => <Delivered row={row} time={time} />,
    },
    {
      header: 'Success',
      width: '72px',
      narrowWidth: '68px',
      isNumber: true,
      sort: { name: 'success', value: row => (row.figures ? deliveredPercent(row.figures.present) : null) },
      cell: row => (row.figures ? formatDelivered(row.figures.present) : '…'),
    },
    {
      header: 'p95',
      width: '64px',
      isNumber: true,
      onlyWide: true,
      sort: { name: 'p95', value: row => row.figures?.p95_ms ?? null },
      cell: row => (row.figures ? formatLatency(row.figures.p95_ms) : '…'),
    },
    {
      header: 'Backlog',
      width: '76px',
      narrowWidth: '70px',
      isNumber: true,
      sort: { name: 'backlog', value: row => row.figures?.open.count ?? null },
      cell: row => <Backlog row={row} />,
    },
    {
      header: 'Last error',
      width: 'minmax(64px, 1.2fr)',
      onlyWide: true,
      sort: {
        name: 'error',
        value: ({ figures }) => (figures?.last_error ? Date.parse(figures.last_error.at) : null),
      },
      cell: ({ figures }) => <LastError error={figures?.last_error ?? null} />,
    },
    {
      header: 'Deliveries over time',
      width: '60px',
      onlyWide: true,
      isHeaderHidden: true,
      cell: row => row.figures && <Sparkline values={row.figures.line} isOpen isBad={row.state === 'down'} />,
    },
    {
      header: 'State',
      width: '76px',
      sort: { name: 'state', value: ({ state }) => state },
      cell: ({ state }) => <StateBadge state={state} />,
    },
  ];
  const matching = all
    .filter(one => !state || one.state === state)
    .filter(one => holdsText(text, one.name, one.kind, titleOf(one.kind), one.state))
    .map(one => ({ ...one, figures: figuresOf.get(one.id) }));
  const { rows: shown, sorting } = useSorting(matching, columns);

  return (
    <Page
      title="Destinations"
      lead="Where pipelines deliver events."
      fill
      actions={mayChange && all.length > 0 && <NewDestination />}
    >
      {destinations.error && (
        <ErrorNotice error={destinations.error} onRetry={() => void destinations.refetch()} />
      )}
      {destinations.isPending && !destinations.error && <Loading />}
      {destinations.data && all.length === 0 && (
        <Empty
          sentence="No destinations yet. Start with an inbox, which only stores what it receives, or with your own endpoint, chat, mailbox or database."
          action={mayChange && <NewDestination />}
        />
      )}
      {figures.error && <ErrorNotice error={figures.error} onRetry={() => void figures.refetch()} />}
      {all.length > 0 && (
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <ListFilter placeholder="Filter by name, kind or state" />
            <ChoiceFilter name="state" label="State" any="Any state" choices={states} />
          </Group>
          <FiguresTimePicker time={time} />
        </Group>
      )}
      {all.length > 0 && shown.length === 0 && <Empty sentence="No destinations match" />}
      {shown.length > 0 && (
        <Rows
          label="Destinations"
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

/** Leads to the deliveries that it counts. */
function Delivered({ row, time }: { row: Row; time: FiguresTime }) {
  if (row.figures === undefined) return '…';
  const { delivered } = row.figures.present;
  return (
    <Link
      to="/deliveries"
      search={{ destination: row.id, state: 'delivered', within: time.name }}
      title={`${formatNumber(delivered)} delivered in ${time.words}`}
    >
      {formatPerHour(delivered, time.hours)}
    </Link>
  );
}

function Backlog({ row }: { row: Row }) {
  if (row.figures === undefined) return '…';
  return (
    <Link to="/deliveries" search={{ destination: row.id, state: 'open' }}>
      {formatCapped(row.figures.open)}
    </Link>
  );
}

function LastError({ error }: { error: DestinationRowFigures['last_error'] }) {
  if (error === null)
    return (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    );
  return (
    <span title={error.message}>
      <Text span size="sm" c="dimmed">
        <RelativeTime at={error.at} />
      </Text>{' '}
      {error.message}
    </span>
  );
}

const NewDestination = () => (
  <Button component={Link} to="/destinations/new" leftSection={<IconPlus size={16} aria-hidden />}>
    New destination
  </Button>
);
