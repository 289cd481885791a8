import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Empty } from '../../components/empty.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, RowLink } from '../../components/rows.tsx';
import { useList } from '../../lib/api/use-call.ts';
import { useLiveList } from '../../lib/api/use-live-list.ts';
import { useMay } from '../../lib/session.tsx';
import { AuditFilters, useAuditFilter } from './audit-filters.tsx';
import { actionLabel } from './audit-labels.ts';

const keyOf = ({ id }: AuditRecord): string => id;
const pageOf = ({ id }: AuditRecord): string => `/settings/audit/${id}`;

const columns: readonly Column<AuditRecord>[] = [
  { header: 'Time', width: '92px', narrowWidth: '68px', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    header: 'Action',
    width: 'minmax(150px, 1fr)',
    narrowWidth: 'minmax(120px, 1.2fr)',
    cell: entry => (
      <RowLink to={pageOf(entry)}>
        <span title={entry.action}>{actionLabel(entry.action)}</span>
      </RowLink>
    ),
  },
  {
    header: 'Person',
    width: 'minmax(120px, 1fr)',
    narrowWidth: 'minmax(60px, 1fr)',
    cell: ({ actor_name }) => <span title={actor_name}>{actor_name}</span>,
  },
  {
    header: 'Record',
    width: 'minmax(140px, 1.2fr)',
    cell: ({ target, target_name, target_page }) => {
      const name = target_name ?? target;
      return target_page === null ? (
        <span title={target}>{name}</span>
      ) : (
        <Link to={target_page} title={target}>
          {name}
        </Link>
      );
    },
    onlyWide: true,
  },
];

const withAddress: readonly Column<AuditRecord>[] = [
  ...columns,
  {
    header: 'Address',
    width: '130px',
    cell: ({ address }) => <span className="numbers">{address ?? '–'}</span>,
    onlyWide: true,
  },
];

/** Who logged in and who changed what, newest first. */
export function AuditSection() {
  const { filter, span } = useAuditFilter();
  const entries = useList('GET /audit', filter, { span });
  useLiveList(entries, 'GET /audit', filter, keyOf);
  const isNarrowed = Object.values(filter).some(Boolean);
  const mayKnowAddresses = useMay()('members.change');
  const shown = useMemo(() => (mayKnowAddresses ? withAddress : columns), [mayKnowAddresses]);
  return (
    <>
      <AuditFilters />
      <PagedList
        label="Audit log"
        list={entries}
        columns={shown}
        keyOf={keyOf}
        pageOf={pageOf}
        empty={<Empty sentence={isNarrowed ? 'No entries match' : 'No entries yet'} />}
      />
    </>
  );
}
