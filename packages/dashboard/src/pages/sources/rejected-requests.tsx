import { Accordion, Badge, Group, Text } from '@mantine/core';
import type { RejectionRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { hintFor, refusalTitle } from './source-labels.ts';

const SHOWN = 50;

/** Requests that were rejected, newest first, each with what to do about it. */
export function RejectedRequests({ source }: { source: WebhookSourceRecord }) {
  const asked = { id: source.id, limit: SHOWN };
  const {
    data = [],
    isPending,
    error,
    refetch,
  } = useCall('GET /sources/:id/rejections', asked, {
    live: true,
  });
  return (
    <Card title="Refused requests" lead="What came to its URL and was rejected. Bodies are not kept.">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !isPending && data.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing was refused.
        </Text>
      )}
      {data.length > 0 && (
        <Accordion variant="default" chevronPosition="left">
          {withKeys(data).map(([key, refusal]) => (
            <Accordion.Item key={key} value={key}>
              <Accordion.Control>
                <Group gap="xs">
                  <Badge color="red" tt="none" fw={600} flex="none">
                    {refusalTitle(refusal.code, source.auth)}
                  </Badge>
                  <Text size="sm" lineClamp={2} flex="1 1 220px">
                    {refusal.message}
                  </Text>
                  <Text size="sm" c="dimmed" flex="none">
                    <RelativeTime at={refusal.at} />
                  </Text>
                </Group>
              </Accordion.Control>
              <Accordion.Panel>
                <Text size="sm" mb={6} style={{ overflowWrap: 'anywhere' }}>
                  {refusal.message}
                </Text>
                <Text size="sm" c="dimmed">
                  {hintFor(refusal, source.auth)}
                </Text>
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      {data.length === SHOWN && (
        <Text size="xs" c="dimmed" mt="xs">
          The last {SHOWN} are shown.
        </Text>
      )}
    </Card>
  );
}

/** A refusal is known by its time, and by its place among those of the same millisecond. */
function withKeys(refusals: readonly RejectionRecord[]): [string, RejectionRecord][] {
  const seen = new Map<string, number>();
  return refusals.map(refusal => {
    const before = seen.get(refusal.at) ?? 0;
    seen.set(refusal.at, before + 1);
    return [`${refusal.at}-${before}`, refusal];
  });
}
