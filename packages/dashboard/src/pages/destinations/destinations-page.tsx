import { Button, Group } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { holdsText, ListFilter } from '../../components/list-filter.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { namesOf, usePipelinesOf } from '../../components/used-by.tsx';
import { useAll, useCall } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { stateOf } from './destination-state.ts';
import { KindIcon } from './kind-icon.tsx';
import { describeRetries } from './retry-policy-text.ts';

const pageOf = ({ id }: DestinationRecord) => `/destinations/${id}`;

/** Where events go. */
export default function DestinationsPage() {
  const mayChange = useMay()('destinations.change');
  const [{ text }] = useFilters();
  const destinations = useAll('GET /destinations', {}, { live: true });
  const { data: kinds = [] } = useCall('GET /kinds/destinations');
  const pipelinesOf = usePipelinesOf();
  const titleOf = (kind: string) => kinds.find(one => one.kind === kind)?.title ?? kind;
  const all = destinations.data ?? [];
  const shown = all.filter(one => holdsText(text, one.name, one.kind, titleOf(one.kind), stateOf(one)));

  const columns: readonly Column<DestinationRecord>[] = [
    {
      header: 'Name',
      width: 'minmax(120px, 1.4fr)',
      cell: one => <Link to={pageOf(one)}>{one.name}</Link>,
    },
    {
      header: 'Kind',
      width: 'minmax(105px, 0.8fr)',
      cell: ({ kind }) => (
        <Group gap={6} wrap="nowrap">
          <KindIcon kind={kind} size={16} />
          {titleOf(kind)}
        </Group>
      ),
    },
    {
      header: 'Pipelines',
      width: 'minmax(100px, 1fr)',
      cell: ({ id }) => namesOf(pipelinesOf(id)),
      onlyWide: true,
    },
    {
      header: 'Retries',
      width: 'minmax(120px, 1.2fr)',
      cell: ({ policy }) => describeRetries(policy),
      onlyWide: true,
    },
    { header: 'State', width: '84px', cell: one => <StateBadge state={stateOf(one)} /> },
  ];

  return (
    <Page
      title="Destinations"
      lead="Where events go when a pipeline has routed them."
      fill
      actions={mayChange && all.length > 0 && <NewDestination />}
    >
      {destinations.error && (
        <ErrorNotice error={destinations.error} onRetry={() => void destinations.refetch()} />
      )}
      {destinations.isPending && !destinations.error && <Loading />}
      {destinations.data && all.length === 0 && (
        <Empty
          sentence="There are no destinations yet. Start with an inbox, which only keeps what it gets, or with your own endpoint, chat, mailbox or database."
          action={mayChange && <NewDestination />}
        />
      )}
      {all.length > 0 && <ListFilter placeholder="Filter by name, kind or state" />}
      {all.length > 0 && shown.length === 0 && <Empty sentence="No destinations match" />}
      {shown.length > 0 && (
        <Rows label="Destinations" columns={columns} rows={shown} keyOf={({ id }) => id} pageOf={pageOf} />
      )}
    </Page>
  );
}

const NewDestination = () => (
  <Button component={Link} to="/destinations/new" leftSection={<IconPlus size={16} aria-hidden />}>
    New destination
  </Button>
);
