import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import { Card } from '../../components/card.tsx';
import { Exchange } from '../../components/delivery/exchange.tsx';
import { JsonText } from '../../components/json-text.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { formatWholeMs } from '../../lib/format.ts';

/** What came of a test: what was sent, and the real answer. */
export function TestResult({ result }: { result: DestinationTestRecord }) {
  const { outcome, status, code, message, duration_ms, request, response, exchange } = result;
  const facts = [status === null ? null : `status ${status}`, code, formatWholeMs(duration_ms)];
  return (
    <Card
      title={
        <Group gap="sm">
          Test
          <StateBadge state={outcome} />
        </Group>
      }
      lead={facts.filter(fact => fact !== null).join(' · ')}
    >
      <Stack gap="sm" role="status">
        {message && <Text size="sm">{message}</Text>}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Stack gap={6} miw={0}>
            <Text size="sm" fw={500}>
              Request
            </Text>
            <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
              {request.target}
            </Text>
            {Object.entries(request.headers).map(([name, value]) => (
              <Text key={name} size="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
                {name}: {value}
              </Text>
            ))}
            <JsonText value={request.body} maxHeight={240} />
          </Stack>
          <Stack gap={6} miw={0}>
            <Text size="sm" fw={500}>
              Response
            </Text>
            <Exchange exchange={exchange} />
            {response ? (
              <JsonText value={response} maxHeight={240} />
            ) : (
              <Text size="sm" c="dimmed">
                {outcome === 'delivered'
                  ? 'Empty; it was accepted.'
                  : status === null
                    ? 'No response.'
                    : 'Empty.'}
              </Text>
            )}
          </Stack>
        </SimpleGrid>
      </Stack>
    </Card>
  );
}
