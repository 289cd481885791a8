import { Loader } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { ConfirmButton } from '../../components/confirm.tsx';
import type { GivenTo } from '../../lib/api/path.ts';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { describeDeadLetters } from './describe-dead-letters.ts';

/** As the address says it: what is no filter there, the server refuses. */
export type DeadLetterFilter = NonNullable<GivenTo<'POST /dead-letters/retry'>['body']['filter']>;

/** All that match, once more: counted first, then a job. */
export function RetryAll({ filter, onStarted }: { filter: DeadLetterFilter; onStarted(job: string): void }) {
  const retry = useChange('POST /dead-letters/retry');
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <ConfirmButton
      label={isNarrowed ? 'Retry all that match' : 'Retry all'}
      act="Retry them"
      question={<CountFirst filter={filter} />}
      onConfirm={async () => {
        onStarted((await retry.mutateAsync({ body: { filter } })).id);
      }}
      button={{ leftSection: <IconRefresh size={16} aria-hidden /> }}
    />
  );
}

function CountFirst({ filter }: { filter: DeadLetterFilter }) {
  const { data, error } = useCall('GET /dead-letters/summary', filter);
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
