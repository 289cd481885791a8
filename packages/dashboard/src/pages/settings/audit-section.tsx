import { Text } from '@mantine/core';
import type { AuditRecord } from '@sluice/contract/dashboard-events';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { Column } from '../../components/rows.tsx';
import { useList } from '../../lib/api/use-call.ts';
import { useLiveList } from '../../lib/api/use-live-list.ts';

const keyOf = ({ id }: AuditRecord): string => id;
const pageOf = ({ id }: AuditRecord): string => `/settings/audit/${id}`;

const columns: readonly Column<AuditRecord>[] = [
  { header: 'Time', width: '92px', cell: ({ at }) => <RelativeTime at={at} /> },
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
  const entries = useList('GET /audit');
  useLiveList(entries, 'GET /audit', {}, keyOf);
  return (
    <PagedList
      label="Audit log"
      list={entries}
      columns={columns}
      keyOf={keyOf}
      pageOf={pageOf}
      empty={<Empty sentence="Nothing has been changed here yet." />}
    />
  );
}
