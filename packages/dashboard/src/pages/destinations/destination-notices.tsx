import { Alert } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import { IconHeartBroken, IconPlayerPause } from '@tabler/icons-react';
import { RelativeTime } from '../../components/relative-time.tsx';

/** What keeps deliveries from going out, in words. */
export function DestinationNotices({ destination }: { destination: DestinationRecord }) {
  const { paused, breaker } = destination;
  if (paused) {
    return (
      <Alert color="yellow" variant="light" icon={<IconPlayerPause size={18} aria-hidden />} title="Paused">
        What is meant for it is held, and goes out when it is resumed.
      </Alert>
    );
  }
  if (breaker.state === 'closed') return null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconHeartBroken size={18} aria-hidden />}
      title="It seems to be down"
    >
      Since <RelativeTime at={breaker.opened_at} /> nothing but failures came back, so what is meant for it
      waits without spending tries. One delivery goes out every 30 seconds to see whether it is back; the next
      one <RelativeTime at={breaker.next_probe_at} />. The first that arrives lets the others go.
    </Alert>
  );
}
