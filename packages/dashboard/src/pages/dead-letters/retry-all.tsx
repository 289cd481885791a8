import { Loader } from '@mantine/core';
import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { IconRefresh } from '@tabler/icons-react';
import { ConfirmButton } from '../../components/confirm.tsx';
import { withQuery } from '../../lib/api/call.ts';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { describeDeadLetters } from './describe-dead-letters.ts';

type Filter = Readonly<Record<string, string>>;

/** All that match, once more: counted first, then a job. */
export function RetryAll({ filter, onStarted }: { filter: Filter; onStarted(job: string): void }) {
  const change = useChange<JobRecord>();
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <ConfirmButton
      label={isNarrowed ? 'Retry all that match' : 'Retry all'}
      act="Retry them"
      question={<CountFirst filter={filter} />}
      onConfirm={async () => {
        const job = await change.mutateAsync({
          method: 'POST',
          path: '/dead-letters/retry',
          body: { filter },
        });
        onStarted(job.id);
      }}
      button={{ leftSection: <IconRefresh size={16} aria-hidden /> }}
    />
  );
}

function CountFirst({ filter }: { filter: Filter }) {
  const { data, error } = useCall<DeadLetterSummary>(withQuery('/dead-letters/summary', filter));
  if (error) return error.message;
  if (!data) return <Loader size="xs" aria-label="Counting" />;
  return (
    <>
      This tries <b>{describeDeadLetters(data)}</b> once more.{' '}
      {data.deliveries > 0 && 'Each delivery gets a fresh set of attempts. '}
      {data.events > 0 &&
        'Each event runs again through the pipelines that it failed in, and through no other.'}
    </>
  );
}
