import { Loader } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { ConfirmButton } from '../../components/confirm.tsx';
import { call } from '../../lib/api/call.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { describeDeadLetters } from './describe-dead-letters.ts';
import type { DeadLetterFilter } from './letter-filter.ts';
import { useLetters } from './use-letters.ts';

/** All that match: counted first, then retried or discarded by a job. */
export function AllLetters({ filter, onJob }: { filter: DeadLetterFilter; onJob(id: string): void }) {
  const letters = useLetters(onJob);
  const [{ ask }, change] = useFilters();
  const which = Object.keys(filter).length > 0 ? 'all that match' : 'all';
  return (
    <>
      <ConfirmButton
        label={`Discard ${which}`}
        act="Discard"
        question={<CountFirst filter={filter} verb="discards" />}
        onConfirm={async () => {
          const found = await call('GET /dead-letters/summary', filter);
          letters.discardMatching(filter, describeDeadLetters(found));
        }}
        button={{ leftSection: <IconTrash size={16} aria-hidden /> }}
      />
      <ConfirmButton
        // From the palette one comes here with the question.
        isAsked={ask === 'retry'}
        onClose={() => change({ ask: '' })}
        label={`Retry ${which}`}
        act="Retry"
        isHarmless
        question={<CountFirst filter={filter} verb="retries" />}
        onConfirm={() => letters.retryMatching(filter)}
        button={{ leftSection: <IconRefresh size={16} aria-hidden /> }}
      />
    </>
  );
}

function CountFirst({ filter, verb }: { filter: DeadLetterFilter; verb: 'retries' | 'discards' }) {
  const { data, error } = useCall('GET /dead-letters/summary', filter, { keep: true });
  // A count from before is not what would be done.
  if (error) return error.message;
  if (!data) return <Loader size="xs" aria-label="Counting" />;
  if (verb === 'discards')
    return (
      <>
        This discards <b>{describeDeadLetters(data)}</b>.{' '}
        {data.deliveries > 0 && 'Discarded deliveries are never sent. '}
        {data.events > 0 && 'Events stay as they are, and can be replayed from their own pages.'}
      </>
    );
  return (
    <>
      This retries <b>{describeDeadLetters(data)}</b>.{' '}
      {data.deliveries > 0 && 'Each delivery gets a fresh set of attempts. '}
      {data.events > 0 && 'Each event runs again, only through the pipelines that it failed in.'}
    </>
  );
}
