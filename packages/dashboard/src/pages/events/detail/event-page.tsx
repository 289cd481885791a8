import { Alert, Group } from '@mantine/core';
import { IconEraser, IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { Card } from '../../../components/card.tsx';
import { CopyButtonWith } from '../../../components/copy-button.tsx';
import { DeliveryDots } from '../../../components/events/delivery-dots.tsx';
import { JobProgress } from '../../../components/job-progress.tsx';
import { JsonText } from '../../../components/json-text.tsx';
import { Page } from '../../../components/page.tsx';
import { Waiting } from '../../../components/page-states.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { stringifyExact } from '../../../lib/api/exact-json.ts';
import { useCall } from '../../../lib/api/use-call.ts';
import { usePathId } from '../../../lib/use-path-id.ts';
import { sendAgainCommand } from './event-command.ts';
import { EventTimeline } from './event-timeline.tsx';
import { ReplayMenu } from './replay-menu.tsx';
import { VerdictNotice } from './verdict-notice.tsx';
import { WaterfallCard } from './waterfall-card.tsx';

/** One event and all that became of it, as it happens. */
export default function EventPage() {
  const id = usePathId();
  const { data: event, error, refetch } = useCall('GET /events/:id', { id }, { live: true });
  const [job, setJob] = useState<string | null>(null);
  if (!event) return <Waiting error={error} onRetry={() => void refetch()} />;
  return (
    <Page
      title={event.icon ? `${event.icon} ${event.type}` : event.type}
      badge={
        <Group gap="xs">
          <StateBadge state={event.outcome} />
          <DeliveryDots states={event.delivery_states} />
        </Group>
      }
      lead={
        <>
          Received <RelativeTime at={event.received_at} />
        </>
      }
      actions={<ReplayMenu event={event} onStarted={setJob} />}
    >
      <VerdictNotice event={event} />
      {event.erased_at !== null && (
        <Alert color="gray" variant="light" icon={<IconEraser size={18} aria-hidden />}>
          Payload erased on request <RelativeTime at={event.erased_at} />, including stored copies.
        </Alert>
      )}
      {job !== null && (
        <Card title="Replay">
          <JobProgress id={job} />
        </Card>
      )}
      <WaterfallCard event={event} />
      <Card>
        <EventTimeline event={event} key={event.id} />
      </Card>
      <Card
        title="Payload"
        actions={
          event.erased_at === null && (
            <Group gap="xs">
              <CopyButtonWith text={stringifyExact(event.payload)} label="Copy as JSON" />
              <CopyButtonWith
                text={sendAgainCommand(event, location.origin)}
                label="Copy as curl"
                icon={<IconTerminal2 size={14} aria-hidden />}
              />
            </Group>
          )
        }
      >
        <JsonText value={event.payload} maxHeight={560} copyLabel="Copy payload" />
      </Card>
    </Page>
  );
}
