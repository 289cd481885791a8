import { Alert, Anchor, Text } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CopyText } from '../../components/copy.tsx';
import { AttemptList } from '../../components/delivery/attempt-list.tsx';
import { DeliveryActions } from '../../components/delivery/delivery-actions.tsx';
import { DeliveryState } from '../../components/delivery/delivery-state.tsx';
import { explainHeld } from '../../components/delivery/why-held.ts';
import { ExactTime } from '../../components/exact-time.tsx';
import facts from '../../components/facts.module.css';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { DueTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { usePathId } from '../../lib/use-path-id.ts';

/** One delivery with every attempt, as it happens. */
export default function DeliveryPage() {
  const id = usePathId();
  const { data: delivery, error, refetch } = useCall('GET /deliveries/:id', { id }, { live: true });
  if (!delivery) return <Waiting error={error} onRetry={() => void refetch()} />;
  const { destination, pipeline, event_id, event_type, attempts } = delivery;
  return (
    <Page
      title={`${event_type || 'Event'} to ${destination.name}`}
      badge={<DeliveryState delivery={delivery} />}
      lead={explain(delivery)}
      actions={<DeliveryActions delivery={delivery} />}
    >
      <Card>
        <dl className={facts.facts}>
          <dt>Event</dt>
          <dd>
            <Anchor component={Link} to={`/events/${event_id}`} size="sm">
              {event_type || event_id}
            </Anchor>
          </dd>
          <dt>Destination</dt>
          <dd>
            <Anchor component={Link} to={`/destinations/${destination.id}`} size="sm">
              {destination.name}
            </Anchor>{' '}
            <Text span size="sm" c="dimmed">
              {destination.kind}
            </Text>
          </dd>
          <dt>Pipeline</dt>
          <dd>
            <Anchor component={Link} to={`/pipelines/${pipeline.id}`} size="sm">
              {pipeline.name}
            </Anchor>
          </dd>
          <dt>Created</dt>
          <dd>
            <ExactTime at={delivery.created_at} />
          </dd>
          {delivery.finished_at && (
            <>
              <dt>Ended</dt>
              <dd>
                <ExactTime at={delivery.finished_at} />
              </dd>
            </>
          )}
          <dt>Id</dt>
          <dd>
            <CopyText text={delivery.id} label="Copy id" />
          </dd>
        </dl>
      </Card>
      <Card title="Attempts">
        {attempts.length > 0 ? (
          <AttemptList attempts={attempts.toReversed()} />
        ) : (
          <Alert color="gray" variant="light">
            {whyUntried(delivery)}
          </Alert>
        )}
      </Card>
    </Page>
  );
}

function whyUntried({ finished_at, outage, state }: DeliveryRecord): string {
  // Nothing else ends one that was never tried, also where it is not known since when it was down.
  if (state === 'dead' || (finished_at !== null && outage !== null))
    return 'Never attempted: the destination was down.';
  return state === 'cancelled' ? 'Cancelled before the first attempt.' : 'Not attempted yet.';
}

/** What waits, or is exhausted, because its destination is down: since when, and when that was last found out. */
function Outage(props: { outage: NonNullable<DeliveryRecord['outage']>; isOver: boolean }) {
  const { down_since, last_probe_at } = props.outage;
  return (
    <>
      {props.isOver ? 'The destination had been down since' : 'Destination down since'}{' '}
      <ExactTime at={down_since} to="second" />
      {last_probe_at && (
        <>
          , last probe <ExactTime at={last_probe_at} to="second" />
        </>
      )}
      .{' '}
      {props.isOver
        ? 'Exhausted: the destination was not back when the retry schedule ended.'
        : 'It is queued and uses no attempts.'}
    </>
  );
}

/** What stands in place of one that had died. */
function ReplayedBy({ id }: { id: string }) {
  return (
    <>
      The event has since been replayed, which created{' '}
      <Anchor component={Link} to={`/deliveries/${id}`} inherit>
        another delivery
      </Anchor>{' '}
      in its place.
    </>
  );
}

function explain(delivery: DeliveryRecord) {
  const { state, attempt, next_attempt_at, finished_at, code, attempts, replayed_by, outage } = delivery;
  if (outage !== null) {
    return (
      <>
        <Outage outage={outage} isOver={finished_at !== null} />{' '}
        {replayed_by !== null && <ReplayedBy id={replayed_by} />}
      </>
    );
  }
  const tries = attempt === 1 ? '1 attempt' : `${attempt} attempts`;
  const why = attempts.at(-1)?.message;
  switch (state) {
    case 'delivered':
      return attempt === 1 ? 'Delivered on the first attempt.' : `Delivered on attempt ${attempt}.`;
    case 'dead':
      return `Exhausted after ${tries}${code ? ` (${code})` : ''}. ${why ?? ''}`;
    case 'cancelled':
      if (replayed_by !== null) {
        return (
          <>
            Exhausted after {tries}. <ReplayedBy id={replayed_by} />
          </>
        );
      }
      return 'Discarded, erased, or its destination was deleted. Nothing more will be sent.';
    case 'held':
      return explainHeld(delivery.destination);
    case 'pending':
      return 'About to be sent.';
    case 'delivering':
      return 'Being sent now.';
    case 'retrying':
      return (
        <>
          {why} The next attempt is {next_attempt_at && <DueTime at={next_attempt_at} />}, after {tries}.
        </>
      );
  }
}
