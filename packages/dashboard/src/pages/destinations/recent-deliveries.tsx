import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { DeliveryState } from '../../components/delivery/delivery-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { JsonText } from '../../components/json-text.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { parseExact, stringifyExact } from '../../lib/api/exact-json.ts';
import { useCall } from '../../lib/api/use-call.ts';

/** An inbox is there to be looked into: what it got is shown, and not only that it did. */
export function RecentDeliveries({ id, showsBodies }: { id: string; showsBodies: boolean }) {
  const asked = { destination: id, limit: showsBodies ? 20 : 8 };
  const { data = [], error, refetch, isPending } = useCall('GET /deliveries', asked, { live: true });
  return (
    <Card
      title={showsBodies ? 'Received events' : 'Recent deliveries'}
      actions={
        <Button
          variant="default"
          size="xs"
          renderRoot={root => <Link to="/deliveries" search={{ destination: id }} {...root} />}
        >
          All deliveries
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !isPending && data.length === 0 && (
        <Text size="sm" c="dimmed">
          {showsBodies ? 'Nothing yet. Add it to a pipeline to receive events here.' : 'No deliveries yet.'}
        </Text>
      )}
      <Stack gap={showsBodies ? 'md' : 6}>
        {data.map(delivery => (
          <Delivery key={delivery.id} delivery={delivery} showsBody={showsBodies} />
        ))}
      </Stack>
    </Card>
  );
}

function Delivery({ delivery, showsBody }: { delivery: DeliveryRecord; showsBody: boolean }) {
  const { id, event_type, code, created_at, attempts } = delivery;
  const body = attempts.at(-1)?.request.body;
  return (
    <div>
      <Group gap="sm" wrap="nowrap">
        <DeliveryState delivery={delivery} />
        <Anchor component={Link} to={`/deliveries/${id}`} size="sm" truncate title={event_type}>
          {event_type}
        </Anchor>
        <Text size="sm" c="dimmed" truncate flex={1} title={code ?? undefined}>
          {code}
        </Text>
        <Text size="sm" c="dimmed" flex="none">
          <RelativeTime at={created_at} />
        </Text>
      </Group>
      {showsBody && body !== undefined && (
        <div style={{ marginTop: 6 }}>
          <JsonText value={pretty(body)} maxHeight={260} />
        </div>
      )}
    </div>
  );
}

/** A body that was cut is no JSON any more, and is shown as it is. */
function pretty(body: string): string {
  try {
    return stringifyExact(parseExact(body));
  } catch {
    return body;
  }
}
