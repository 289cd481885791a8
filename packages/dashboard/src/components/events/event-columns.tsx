import type { EventSummary } from '@sluice/contract/dashboard-events';
import { ListTime } from '../list-time.tsx';
import { type Column, RowLink } from '../rows.tsx';
import { StateBadge } from '../state-badge.tsx';
import { DeliveryDots } from './delivery-dots.tsx';

/** What a list says of each event. */
export const eventColumns: readonly Column<EventSummary>[] = [
  {
    header: 'Received',
    width: '150px',
    narrowWidth: '86px',
    cell: ({ received_at }) => <ListTime at={received_at} />,
  },
  {
    header: 'Type',
    width: 'minmax(120px, 1.6fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ id, type, icon }) => (
      <RowLink to={`/events/${id}`}>
        {icon ? `${icon} ` : ''}
        {type}
      </RowLink>
    ),
  },
  {
    header: 'Outcome',
    width: '130px',
    narrowWidth: '118px',
    cell: ({ outcome }) => <StateBadge state={outcome} />,
  },
  {
    header: 'Deliveries',
    width: '112px',
    cell: ({ delivery_states }) => <DeliveryDots states={delivery_states} />,
    onlyWide: true,
  },
  {
    header: 'Source',
    width: 'minmax(110px, 1fr)',
    cell: ({ sources }) => sources.map(({ name }) => name).join(', ') || '–',
    onlyWide: true,
  },
  {
    header: 'Entity',
    width: 'minmax(110px, 1fr)',
    cell: ({ entity }) => (entity ? `${entity.kind}:${entity.external_id}` : '–'),
    onlyWide: true,
  },
  {
    header: 'Id',
    width: '270px',
    cell: ({ id }) => <span className="mono">{id}</span>,
    onlyWide: true,
  },
];

export const keyOfEvent = ({ id }: EventSummary): string => id;
export const pageOfEvent = ({ id }: EventSummary): string => `/events/${id}`;
