import { Button, Group } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { DeliveryFilters } from '../../components/delivery/delivery-filters.tsx';
import { DeliveryState } from '../../components/delivery/delivery-state.tsx';
import { NextAttempt, nextAttemptOf } from '../../components/delivery/next-attempt.tsx';
import { Empty } from '../../components/empty.tsx';
import { ListCount } from '../../components/list-count.tsx';
import { Page } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { Column } from '../../components/rows.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { TimeFilter } from '../../components/time-filter.tsx';
import { useAll, useCall, useList } from '../../lib/api/use-call.ts';
import { useLiveList } from '../../lib/api/use-live-list.ts';
import { sendCommand } from '../../lib/send-command.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { useTimeRange } from '../../lib/use-time-range.ts';
import { LastResponse } from './last-response.tsx';

/** In the order that a delivery goes through them. */
const states = [
  { value: 'open', label: 'open (not finished)' },
  { value: 'waiting', label: 'waiting (pending or delivering)' },
  'pending',
  'held',
  'delivering',
  'retrying',
  'delivered',
  'dead',
  'cancelled',
] as const;

/** Such as receivers refuse with; another one may stand in the address. */
const statuses = [
  { value: 'none', label: 'no response' },
  ...[400, 401, 403, 404, 408, 409, 410, 413, 422, 429, 500, 502, 503, 504].map(String),
];

const keyOf = ({ id }: DeliveryRecord) => id;
const pageOf = ({ id }: DeliveryRecord) => `/deliveries/${id}`;

const columns: readonly Column<DeliveryRecord>[] = [
  { header: 'Created', width: '96px', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  { header: 'State', width: '96px', cell: delivery => <DeliveryState delivery={delivery} /> },
  {
    header: 'Destination',
    width: 'minmax(110px, 1fr)',
    cell: delivery => <Link to={pageOf(delivery)}>{delivery.destination.name}</Link>,
  },
  {
    header: 'Event',
    width: 'minmax(120px, 1.2fr)',
    cell: ({ event_id, event_type }) => <Link to={`/events/${event_id}`}>{event_type || event_id}</Link>,
    onlyWide: true,
  },
  { header: 'Pipeline', width: 'minmax(110px, 1fr)', cell: ({ pipeline }) => pipeline.name, onlyWide: true },
  {
    header: 'Attempts',
    width: '76px',
    cell: ({ attempt }) => <span className="numbers">{attempt}</span>,
    onlyWide: true,
  },
  {
    header: 'Last response',
    width: 'minmax(130px, 1fr)',
    cell: delivery => <LastResponse delivery={delivery} />,
    onlyWide: true,
  },
  {
    header: 'Next attempt',
    width: '96px',
    cell: delivery => {
      const next = nextAttemptOf(delivery);
      return next === null ? '–' : <NextAttempt next={next} />;
    },
    onlyWide: true,
  },
];

/** What is on its way, what has arrived, and what could not. */
export default function DeliveriesPage() {
  const [{ destination, state, code, status, event }] = useFilters();
  const { span, ...times } = useTimeRange();
  const query = { destination, state, code, status, event: event?.trim(), ...times };
  const list = useList('GET /deliveries', query, { span });
  useLiveList(list, 'GET /deliveries', query, ({ id, state, attempt }) => `${id} ${state} ${attempt}`);
  const { data: total } = useCall('GET /deliveries/count', query, { live: true, keep: true });
  const isNarrowed = Object.values(query).some(Boolean);
  return (
    <Page title="Deliveries" lead="Each event on its way to each destination, newest first." fill>
      <search aria-label="Filters">
        <Group gap="xs">
          <ChoiceFilter name="state" label="State" any="Any state" choices={states} />
          <DeliveryFilters />
          <ChoiceFilter
            name="status"
            label="HTTP status"
            any="Any HTTP status"
            choices={statuses}
            searchable
          />
          <TimeFilter what="Created" isInLine />
          <TextFilter
            name="event"
            aria-label="Event"
            placeholder="Event id"
            w={{ base: '100%', xs: 290 }}
            isFirst
          />
        </Group>
      </search>
      {total && list.rows.length > 0 && <ListCount total={total} noun={['delivery', 'deliveries']} />}
      <PagedList
        label="Deliveries"
        list={list}
        columns={columns}
        keyOf={keyOf}
        pageOf={pageOf}
        empty={isNarrowed ? <Empty sentence="No deliveries match" /> : <NothingSent />}
      />
    </Page>
  );
}

/** Where a pipeline leads somewhere already, all that is missing is an event. */
function NothingSent() {
  const { data: pipelines = [] } = useAll('GET /pipelines');
  const { data: sources = [] } = useAll('GET /sources');
  const leading = pipelines.filter(({ enabled, destinations }) => enabled && destinations.length > 0);
  const source = sources.find(({ id, enabled }) => enabled && leading.some(one => one.sources.includes(id)));
  const command = source ? sendCommand(source, window.location.origin, null) : null;
  return (
    <Empty
      sentence={`No deliveries yet. ${
        source && command
          ? `Send something to “${source.name}”, and a delivery is created for each destination that it is routed to.`
          : 'A delivery is created for each destination that a pipeline routes an event to.'
      }`}
      action={
        <Button component={Link} to="/pipelines">
          View pipelines
        </Button>
      }
      {...(command === null ? {} : { command })}
    />
  );
}
