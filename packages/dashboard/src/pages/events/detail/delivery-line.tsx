import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { AttemptList } from '../../../components/delivery/attempt-list.tsx';
import { DeliveryActions } from '../../../components/delivery/delivery-actions.tsx';
import { DeliveryState } from '../../../components/delivery/delivery-state.tsx';
import { NextAttempt, nextAttemptOf } from '../../../components/delivery/next-attempt.tsx';
import { Disclosure } from '../../../components/disclosure.tsx';
import classes from './event.module.css';

/** One delivery of the event. What has not arrived is open, since that is what somebody looks for. */
export function DeliveryLine({ delivery }: { delivery: DeliveryRecord }) {
  const { destination, state, attempt, attempts, outage, finished_at } = delivery;
  const isTrouble = attempt > 0 && state !== 'delivered' && state !== 'cancelled';
  const untried = finished_at === null ? 'not attempted yet' : 'not attempted';
  // What is about to be sent for the first time needs no time beside it.
  const next = state === 'retrying' || outage !== null ? nextAttemptOf(delivery) : null;
  return (
    <li>
      <Disclosure
        // It opens by itself when it comes to trouble, and folds when it has arrived.
        key={String(isTrouble)}
        startsOpen={isTrouble}
        summary={
          <>
            <Text span size="sm" fw={600}>
              → {destination.name}
            </Text>
            <Text span size="sm" c="dimmed">
              {destination.kind}
            </Text>
            <DeliveryState delivery={delivery} />
            <Text span size="sm" c="dimmed" className={`numbers ${classes.right}`}>
              {attempt === 0 ? untried : attempt === 1 ? '1 attempt' : `${attempt} attempts`}
              {next && (
                <>
                  {' · next '}
                  <NextAttempt next={next} />
                </>
              )}
            </Text>
          </>
        }
      >
        <Stack gap="sm">
          {attempts.length < attempt && (
            <Text size="xs" c="dimmed">
              The latest {attempts.length} of {attempt} attempts.
            </Text>
          )}
          {attempts.length > 0 && <AttemptList attempts={attempts} />}
          <Group justify="space-between" gap="xs">
            <Anchor component={Link} to={`/deliveries/${delivery.id}`} size="sm">
              View delivery
            </Anchor>
            <DeliveryActions delivery={delivery} size="compact-sm" />
          </Group>
        </Stack>
      </Disclosure>
    </li>
  );
}
