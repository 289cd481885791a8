import { Button, Group, Tooltip } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { holdsText, ListFilter } from '../../components/list-filter.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { namesOf, usePipelinesOf } from '../../components/used-by.tsx';
import { useAll } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { describeSource, formatRate, openWarning } from './source-labels.ts';

const pageOf = ({ id }: SourceRecord) => `/sources/${id}`;

/** Where events come from. */
export default function SourcesPage() {
  const mayChange = useMay()('sources.change');
  const [{ text }] = useFilters();
  const sources = useAll('GET /sources', {}, { live: true });
  const pipelinesOf = usePipelinesOf();
  const all = sources.data ?? [];
  const hasOwn = all.some(({ kind }) => kind !== 'system');
  const shown = all.filter(source => holdsText(text, source.name, source.kind, describeSource(source)));

  const columns: readonly Column<SourceRecord>[] = [
    {
      header: 'Name',
      width: 'minmax(120px, 1.4fr)',
      cell: source => <Link to={pageOf(source)}>{source.name}</Link>,
    },
    { header: 'Kind', width: '80px', cell: ({ kind }) => kind },
    {
      header: 'Takes',
      width: 'minmax(120px, 1fr)',
      cell: source => <Takes source={source} />,
      onlyWide: true,
    },
    {
      header: 'Rate',
      width: 'minmax(100px, 0.8fr)',
      cell: source => (source.kind === 'webhook' ? formatRate(source.rate) : '—'),
      onlyWide: true,
    },
    {
      header: 'Pipelines',
      width: 'minmax(100px, 1fr)',
      cell: ({ id }) => namesOf(pipelinesOf(id)),
      onlyWide: true,
    },
    { header: 'Last event', width: '96px', cell: ({ last_event_at }) => <RelativeTime at={last_event_at} /> },
    {
      header: 'State',
      width: '84px',
      cell: ({ enabled }) => <StateBadge state={enabled ? 'active' : 'disabled'} />,
    },
  ];

  return (
    <Page
      title="Sources"
      lead="Where events come from: URLs for webhooks, and the types that your own code sends."
      fill
      actions={mayChange && hasOwn && <NewSource />}
    >
      {sources.error && <ErrorNotice error={sources.error} onRetry={() => void sources.refetch()} />}
      {sources.isPending && !sources.error && <Loading />}
      {sources.data && !hasOwn && (
        <Empty
          sentence="There are no sources yet. A source gives you a URL that takes whatever is posted to it, or picks out events that your code sends."
          action={mayChange && <NewSource />}
        />
      )}
      {hasOwn && <ListFilter placeholder="Filter by name, kind or type" />}
      {all.length > 0 && shown.length === 0 && <Empty sentence="No sources match" />}
      {shown.length > 0 && (
        <Rows label="Sources" columns={columns} rows={shown} keyOf={({ id }) => id} pageOf={pageOf} />
      )}
    </Page>
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
