import { Text } from '@mantine/core';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { IconRoute, IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { Column } from '../../components/rows.tsx';
import { LetterActions } from './dead-letter-actions.tsx';

/** What the list says of each; `onJob` is null for those who may not retry. */
export const letterColumns = (onJob: ((id: string) => void) | null): readonly Column<DeadLetter>[] => [
  {
    header: 'Time',
    width: '92px',
    // That by which the list is sorted and narrowed; a delivery may have been retried for hours before it died.
    cell: letter => <RelativeTime at={letter.kind === 'delivery' ? letter.created_at : letter.received_at} />,
    onlyWide: true,
  },
  { header: 'Destination', width: 'minmax(110px, 1fr)', cell: letter => <Where letter={letter} /> },
  {
    header: 'Error',
    width: 'minmax(110px, 1.6fr)',
    cell: letter => (
      <span title={letter.reason ?? undefined}>
        {letter.kind === 'delivery' && letter.code && letter.code !== letter.reason && (
          <span className="mono">{letter.code} </span>
        )}
        <Text span size="sm" c="dimmed">
          {letter.reason}
        </Text>
      </span>
    ),
  },
  {
    header: 'Event',
    width: 'minmax(120px, 1fr)',
    cell: ({ event_id, event_type }) => <Link to={`/events/${event_id}`}>{event_type || event_id}</Link>,
    onlyWide: true,
  },
  {
    header: 'Attempts',
    width: '76px',
    cell: letter => <span className="numbers">{letter.kind === 'delivery' ? letter.attempt : '–'}</span>,
    onlyWide: true,
  },
  ...(onJob === null
    ? []
    : [
        {
          header: 'Actions',
          width: '72px',
          cell: (letter: DeadLetter) => <LetterActions letter={letter} onJob={onJob} />,
        },
      ]),
];

function Where({ letter }: { letter: DeadLetter }) {
  const icon = { size: 15, style: { verticalAlign: '-2px', marginRight: 6 } };
  if (letter.kind === 'delivery') {
    return (
      <>
        <IconSend {...icon} aria-label="Delivery to" />
        <Link to={`/deliveries/${letter.id}`}>{letter.destination.name}</Link>
      </>
    );
  }
  const failure = letter.failures.at(-1);
  return (
    <>
      <IconRoute {...icon} aria-label="Failed in" />
      <Link to={`/events/${letter.event_id}`}>{failure?.pipeline.name ?? 'A pipeline'}</Link>
      {failure?.step !== null && failure !== undefined && (
        <Text span size="sm" c="dimmed">
          {' '}
          step {failure.step + 1}
        </Text>
      )}
    </>
  );
}
