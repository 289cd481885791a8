import { Button, Group } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { failureCodes } from '@sluice/contract/failure';
import { Link } from '@tanstack/react-router';
import { useAll, useList } from '../../api/use-call.ts';
import { useTurning } from '../../api/use-turning.ts';
import { useFilters } from '../../app/use-filters.ts';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { LastAnswer } from '../../components/delivery/last-answer.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { TypedFilter } from '../../components/typed-filter.tsx';

/** In the order that a delivery goes through them. */
const states = [
  'pending',
  'held',
  'delivering',
  'retrying',
  'delivered',
  'dead',
  'cancelled',
] as const satisfies readonly DeliveryRecord['state'][];

const keyOf = ({ id }: DeliveryRecord) => id;
const pageOf = ({ id }: DeliveryRecord) => `/deliveries/${id}`;

const columns: readonly Column<DeliveryRecord>[] = [
  { header: 'Made', width: '96px', cell: ({ created_at }) => <Moment at={created_at} /> },
  { header: 'State', width: '96px', cell: ({ state }) => <StateBadge state={state} /> },
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
    header: 'Last answer',
    width: 'minmax(130px, 1fr)',
    cell: delivery => <LastAnswer delivery={delivery} />,
    onlyWide: true,
  },
  {
    header: 'Next try',
    width: '96px',
    cell: ({ next_attempt_at, state }) =>
      next_attempt_at !== null && state !== 'held' ? <Moment at={next_attempt_at} /> : '–',
    onlyWide: true,
  },
];

/** What is on its way, what has arrived, and what could not. */
export default function DeliveriesPage() {
  const [{ destination, state, code, event }] = useFilters();
  const query = { destination, state, code, event: event?.trim() };
  const list = useList<DeliveryRecord>('/deliveries', query);
  useTurning(list, '/deliveries', query);
  const destinations = useAll<{ id: string; name: string }>('/destinations');
  const isNarrowed = Boolean(destination || state || code || event);
  return (
    <Page title="Deliveries" lead="Each event on its way to each destination, newest first." fill>
      <search aria-label="Filters">
        <Group gap="xs">
          <ChoiceFilter name="state" label="State" any="Any state" choices={states} />
          <ChoiceFilter
            name="destination"
            label="Destination"
            any="Any destination"
            choices={(destinations.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            searchable
          />
          <ChoiceFilter name="code" label="Failure" any="Any failure" choices={failureCodes} searchable />
          <TypedFilter name="event" aria-label="Event" placeholder="Event id" w={290} isFirst />
        </Group>
      </search>
      {list.error && <ErrorNotice error={list.error} onRetry={list.refresh} />}
      {list.isLoading && !list.error && <Loading />}
      {!list.isLoading && list.rows.length === 0 && !list.error && (
        <Empty
          sentence={
            isNarrowed
              ? 'No delivery is like that.'
              : 'Nothing has been sent anywhere yet. A delivery is made for each destination that a pipeline routes an event to.'
          }
          action={
            !isNarrowed && (
              <Button component={Link} to="/pipelines">
                To the pipelines
              </Button>
            )
          }
        />
      )}
      {list.rows.length > 0 && (
        <Rows
          label="Deliveries"
          rows={list.rows}
          columns={columns}
          keyOf={keyOf}
          pageOf={pageOf}
          hasMore={list.hasMore}
          isLoadingMore={list.isLoadingMore}
          loadMore={list.loadMore}
        />
      )}
    </Page>
  );
}
