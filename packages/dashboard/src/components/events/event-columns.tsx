import type { EventSummary } from '@sluice/contract/dashboard-events';
import { type EventColumnName, eventColumnNames } from '@sluice/contract/dashboard-views';
import { ListTime } from '../list-time.tsx';
import { type Column, RowLink } from '../rows.tsx';
import { StateBadge } from '../state-badge.tsx';
import { DeliveryDots } from './delivery-dots.tsx';
import { PayloadExcerpt } from './payload-excerpt.tsx';

/** What became of an event, in any list of events. */
type Fate = Pick<EventSummary, 'outcome' | 'delivery_states'>;

export const outcomeColumn: Column<Fate> = {
  header: 'Outcome',
  width: '130px',
  narrowWidth: '118px',
  cell: ({ outcome }) => <StateBadge state={outcome} />,
};

export const deliveriesColumn: Column<Fate> = {
  header: 'Deliveries',
  width: '112px',
  cell: ({ delivery_states }) => <DeliveryDots states={delivery_states} />,
  onlyWide: true,
};

/** What a list can say of each event. */
const byName: Readonly<Record<EventColumnName, Column<EventSummary>>> = {
  received: {
    header: 'Received',
    width: '150px',
    // With room for “am” and “pm”.
    narrowWidth: '102px',
    cell: ({ received_at }) => <ListTime at={received_at} />,
  },
  type: {
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
  outcome: outcomeColumn,
  deliveries: deliveriesColumn,
  source: {
    header: 'Source',
    width: 'minmax(90px, 1fr)',
    cell: ({ sources }) => sources.map(({ name }) => name).join(', ') || '–',
    onlyWide: true,
  },
  entity: {
    header: 'Entity',
    width: 'minmax(90px, 1fr)',
    cell: ({ entity }) => (entity ? `${entity.kind}:${entity.external_id}` : '–'),
    onlyWide: true,
  },
  payload: {
    header: 'Payload',
    width: 'minmax(140px, 3fr)',
    cell: ({ excerpt }) => <PayloadExcerpt excerpt={excerpt} />,
    onlyWide: true,
  },
  id: {
    header: 'Id',
    width: 'minmax(100px, 270px)',
    cell: ({ id }) => <span className="mono">{id}</span>,
    onlyWide: true,
  },
};

/** Those that a list has where nobody has chosen others. */
export const usualColumns: readonly EventColumnName[] = eventColumnNames.filter(name => name !== 'payload');

/** Always in the same order, however they were chosen. */
export const eventColumnsOf = (names: readonly EventColumnName[]): readonly Column<EventSummary>[] =>
  eventColumnNames.filter(name => names.includes(name)).map(name => byName[name]);

export const eventColumns = eventColumnsOf(usualColumns);

export const headerOf = (name: EventColumnName): string => byName[name].header;

export const keyOfEvent = ({ id }: EventSummary): string => id;
export const pageOfEvent = ({ id }: EventSummary): string => `/events/${id}`;
