import { Text } from '@mantine/core';
import type { AuditRecord } from '@sluice/contract/dashboard-events';
import { Link } from '@tanstack/react-router';
import { useList } from '../../api/use-call.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Moment } from '../../components/moment.tsx';
import { Loading } from '../../components/page-states.tsx';
import { type Column, Rows } from '../../components/rows.tsx';

const pageOf = ({ id }: AuditRecord): string => `/settings/audit/${id}`;

const columns: readonly Column<AuditRecord>[] = [
  { header: 'When', width: '92px', cell: ({ at }) => <Moment at={at} /> },
  {
    header: 'What',
    width: 'minmax(140px, 1fr)',
    cell: entry => (
      <Text component={Link} to={pageOf(entry)} size="sm" inherit>
        {entry.action}
      </Text>
    ),
  },
  { header: 'Who', width: 'minmax(50px, 1fr)', cell: ({ actor }) => actor },
  {
    header: 'To what',
    width: 'minmax(160px, 1fr)',
    cell: ({ target }) => <span className="mono">{target}</span>,
    onlyWide: true,
  },
];

/** Who logged in and who changed what, newest first. */
export function AuditSection() {
  const entries = useList<AuditRecord>('/audit');
  if (entries.error) return <ErrorNotice error={entries.error} onRetry={entries.refresh} />;
  if (entries.isLoading) return <Loading />;
  if (entries.rows.length === 0) return <Empty sentence="Nothing has been changed here yet." />;
  return (
    <Rows
      label="Audit log"
      rows={entries.rows}
      columns={columns}
      keyOf={({ id }) => id}
      pageOf={pageOf}
      hasMore={entries.hasMore}
      isLoadingMore={entries.isLoadingMore}
      loadMore={entries.loadMore}
    />
  );
}
