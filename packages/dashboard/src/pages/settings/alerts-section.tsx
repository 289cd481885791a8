import { Divider, Stack, Table, Text } from '@mantine/core';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import { systemEvents } from '@sluice/contract/system-events';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { useAll, useCall } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { AlertChannel, channelsOf } from './alert-channels.tsx';
import { NewAlert } from './new-alert.tsx';

/** Where people are told of what goes wrong, and what there is to be told of. */
export function AlertsSection() {
  const alerts = useCall('GET /alerts', {}, { live: true });
  const pipelines = useAll('GET /pipelines');
  const destinations = useAll('GET /destinations');
  const may = useMay();
  const mayChange = may('pipelines.change') && may('destinations.change');

  if (!alerts.data || !pipelines.data || !destinations.data) {
    return <PartWaiting reads={[alerts, pipelines, destinations]} />;
  }
  const channels = channelsOf(pipelines.data, alerts.data.source_id);

  return (
    <Stack gap="md">
      {mayChange && <NewAlert alerts={alerts.data} destinations={destinations.data} />}
      <Card title="Channels">
        {channels.length === 0 ? (
          <Empty sentence="Nobody is notified yet when something fails." />
        ) : (
          <Stack>
            {channels.map((pipeline, i) => (
              <Stack key={pipeline.id}>
                {i > 0 && <Divider />}
                <AlertChannel
                  pipeline={pipeline}
                  alerts={alerts.data}
                  destinations={destinations.data}
                  mayChange={mayChange}
                />
              </Stack>
            ))}
          </Stack>
        )}
        {!alerts.data.has_links && (
          <Text size="xs" c="dimmed" mt="sm">
            Alerts link to the relevant page once the operator sets SLUICE_BASE_URL.
          </Text>
        )}
      </Card>
      <Card
        title="System events"
        lead="Each is raised at most once every 10 minutes per subject, and not again until the subject has recovered."
      >
        <EventTable types={alerts.data.types} />
      </Card>
    </Stack>
  );
}

function EventTable({ types }: { types: AlertsRecord['types'] }) {
  return (
    <WideTable label="System events">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            <Table.Th visibleFrom="sm">Raised when</Table.Th>
            <Table.Th style={{ whiteSpace: 'nowrap' }}>Last raised</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {types.map(({ type, last_raised_at }) => (
            <Table.Tr key={type}>
              <Table.Td>
                {systemEvents[type].title}
                <Text size="xs" c="dimmed" className="mono">
                  {type}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{systemEvents[type].when}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <RelativeTime at={last_raised_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
