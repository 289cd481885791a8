import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { DestinationRecord, DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import { IconHeartBroken, IconPlayerPause } from '@tabler/icons-react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { NotListening } from './listen-command.tsx';
import { queuedCount } from './queued-count.ts';

/** What keeps deliveries from going out, in words. */
export function DestinationNotices(props: {
  destination: DestinationRecord;
  /** With nothing waiting a test has gone out; null while something else is tried. */
  onTest(result: DestinationTestRecord | null): void;
}) {
  const { paused, breaker, listener, id } = props.destination;
  const isListening = listener?.connected !== false;
  return (
    <>
      {paused && (
        <Alert color="yellow" variant="light" icon={<IconPlayerPause size={18} aria-hidden />} title="Paused">
          Deliveries are held, and sent when it is resumed.{' '}
          {breaker.state === 'closed' && <Backlog waiting={breaker.waiting} />}
        </Alert>
      )}
      {!paused && !isListening && <NotListening />}
      {breaker.state !== 'closed' && (paused || isListening) && (
        <CircuitOpen id={id} breaker={breaker} isPaused={paused} onTest={props.onTest} />
      )}
    </>
  );
}

function CircuitOpen(props: {
  id: string;
  breaker: DestinationRecord['breaker'];
  /** No probe goes out by itself then. */
  isPaused: boolean;
  onTest(result: DestinationTestRecord | null): void;
}) {
  const { opened_at, last_probe_at, last_failure, waiting, next_probe_at } = props.breaker;
  const now = useNow();
  const isProbing = next_probe_at !== null && Date.parse(next_probe_at) <= now;
  const sendsQueued = waiting && !props.isPaused && !isProbing;
  const mayChange = useMay()('destinations.change');
  const probe = useChange('POST /destinations/:id/probe');
  const tryNow = () => {
    props.onTest(null);
    probe.mutate({ id: props.id }, { onSuccess: ({ test }) => props.onTest(test) });
  };
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconHeartBroken size={18} aria-hidden />}
      title={
        <>
          Circuit open since {opened_at && <ExactTime at={opened_at} to="second" />} (50 consecutive failures)
        </>
      }
    >
      <Stack gap="xs">
        <Text size="sm">
          <Backlog waiting={waiting} />{' '}
          {props.isPaused ? (
            'No probe is sent while it is paused.'
          ) : (
            <NextProbe at={next_probe_at} isUnderWay={isProbing} />
          )}
        </Text>
        <Text size="sm">
          {last_probe_at && (
            <>
              Last probe <RelativeTime at={last_probe_at} />.{' '}
            </>
          )}
          {last_failure && <>Last error: {last_failure}</>}
        </Text>
        {mayChange && (
          <Group gap="sm">
            <Button size="xs" loading={probe.isPending} onClick={tryNow}>
              Try now
            </Button>
            <Text size="xs" c="dimmed">
              {sendsQueued ? 'Sends a queued delivery.' : 'Sends a test event.'} A success closes the circuit.
            </Text>
          </Group>
        )}
        {probe.error && <ErrorNotice error={probe.error} />}
      </Stack>
    </Alert>
  );
}

function Backlog({ waiting }: { waiting: number | null }) {
  if (!waiting) return <>No deliveries are queued.</>;
  return (
    <>
      {queuedCount(waiting)} {waiting === 1 ? 'is' : 'are'} queued.
    </>
  );
}

function NextProbe({ at, isUnderWay }: { at: string | null; isUnderWay: boolean }) {
  if (at === null) return <>The next delivery is the probe.</>;
  if (isUnderWay) return <>A probe is in progress.</>;
  return (
    <>
      Next probe <RelativeTime at={at} />.
    </>
  );
}
