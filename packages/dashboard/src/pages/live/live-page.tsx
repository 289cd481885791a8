import { Badge, Button, Group, Text } from '@mantine/core';
import { IconArrowUp, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { eventColumns, keyOfEvent, pageOfEvent } from '../../components/events/event-columns.tsx';
import { EventFilters } from '../../components/events/event-filters.tsx';
import { NoEvents } from '../../components/events/no-events.tsx';
import { useTailQuery } from '../../components/events/use-event-query.ts';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { Rows } from '../../components/rows.tsx';
import { formatNumber } from '../../lib/format.ts';
import { useTail } from './use-tail.ts';

/** Further down than this somebody is reading. */
const READING_AT = 20;

/** The tail of what comes in. It pauses by hand, and while it is scrolled. */
export default function LivePage() {
  const query = useTailQuery();
  const [isPausedByHand, setIsPausedByHand] = useState(false);
  const [isReading, setIsReading] = useState(false);
  const [returns, setReturns] = useState(0);
  const isPaused = isPausedByHand || isReading;
  const tail = useTail(query, isPaused);

  const goOn = () => {
    setIsPausedByHand(false);
    setIsReading(false);
    setReturns(count => count + 1);
  };

  const isNarrowed = Object.keys(query).length > 0;
  const status = !tail.isConnected ? 'connecting…' : isPaused ? 'paused' : 'live';
  return (
    <Page
      title="Live"
      lead="Events as they arrive. Scroll down to pause."
      fill
      badge={
        <Badge color={status === 'live' ? 'green' : 'yellow'} tt="none" role="status">
          {status}
        </Badge>
      }
      actions={
        <Button
          variant="default"
          leftSection={
            isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />
          }
          onClick={() => (isPaused ? goOn() : setIsPausedByHand(true))}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      }
    >
      <EventFilters />
      {tail.error && <ErrorNotice error={tail.error} onRetry={tail.beginAgain} />}
      {isPaused && tail.heldCount > 0 && (
        <Group justify="center">
          <Button
            variant="light"
            size="compact-sm"
            leftSection={<IconArrowUp size={15} aria-hidden />}
            onClick={goOn}
          >
            {tail.heldCount === 1 ? '1 new event' : `${formatNumber(tail.heldCount)} new events`}
          </Button>
        </Group>
      )}
      {tail.skipped > 0 && (
        <Text size="sm" c="dimmed" ta="center" role="status">
          {formatNumber(tail.skipped)} arrived too fast to be shown here. The events page has all of them.
        </Text>
      )}
      {!tail.hasBegun && <Loading />}
      {tail.hasBegun && tail.rows.length > 0 && (
        <Rows
          label="Live events"
          rows={tail.rows}
          columns={eventColumns}
          keyOf={keyOfEvent}
          pageOf={pageOfEvent}
          onScroll={top => setIsReading(top > READING_AT)}
          scrolledFor={returns}
        />
      )}
      {tail.hasBegun && tail.rows.length === 0 && !tail.error && <NothingYet isNarrowed={isNarrowed} />}
    </Page>
  );
}

function NothingYet({ isNarrowed }: { isNarrowed: boolean }) {
  if (!isNarrowed) return <NoEvents />;
  return <Empty sentence="No matching events yet. They appear here as they arrive." />;
}
