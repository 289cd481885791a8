import { Alert, Anchor, Button, Group, Loader, SimpleGrid, Stack, Text, Timeline } from '@mantine/core';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import type { PipelineRecord, RunRecord } from '@sluice/contract/dashboard-pipelines';
import { IconCheck, IconInbox, IconPlugConnected, IconRoute, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { JsonText } from '../../components/json-text.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatDuration } from '../../lib/format.ts';
import type { FirstFlow } from './first-flow.ts';

const newestOf = (sourceId: string | undefined) =>
  sourceId === undefined ? null : { source: sourceId, limit: 1 };

/** Waits for what comes in, and shows it arrive step by step; the page refreshes itself. */
export function FirstEvent({ flow, pipeline }: { flow: FirstFlow; pipeline: PipelineRecord }) {
  const signed = useCall('GET /events', newestOf(flow.source?.id), { live: true });
  const coded = useCall('GET /events', newestOf(flow.fromCode?.id), { live: true });
  // Ids sort by time.
  const newest = [...(signed.data ?? []), ...(coded.data ?? [])].toSorted((a, b) =>
    a.id < b.id ? 1 : -1,
  )[0];
  const event = useCall('GET /events/:id', newest ? { id: newest.id } : null, { live: true });
  const followed = newest && event.data?.id === newest.id ? event.data : undefined;

  return (
    <>
      <Card title="3. Watch it arrive">
        {/* Said aloud when it turns. */}
        <div aria-live="polite">
          {followed ? (
            <Way event={followed} />
          ) : (
            <Group gap="sm">
              <Loader size="xs" aria-hidden />
              <Text size="sm">Waiting for the first event…</Text>
            </Group>
          )}
        </div>
      </Card>
      {followed?.deliveries.some(({ state }) => state === 'delivered') && <WhatNext pipeline={pipeline} />}
    </>
  );
}

function Way({ event }: { event: EventRecord }) {
  const [run] = event.runs;
  const [delivery] = event.deliveries;
  const isDelivered = delivery?.state === 'delivered';
  const done = isDelivered ? 3 : run ? 2 : 1;
  const ms = delivery?.finished_at ? Date.parse(delivery.finished_at) - Date.parse(event.received_at) : null;

  return (
    <Stack>
      <Timeline active={done - 1} bulletSize={26} lineWidth={2}>
        <Timeline.Item bullet={<IconPlugConnected size={15} aria-hidden />} title="Accepted">
          <Text size="sm" c="dimmed" component="div">
            {event.type}, <RelativeTime at={event.received_at} />: on disk, and acknowledged with a 202.
          </Text>
        </Timeline.Item>
        <Timeline.Item bullet={<IconRoute size={15} aria-hidden />} title="Through the pipeline">
          <Text size="sm" c="dimmed">
            {run ? describeRun(run) : 'On its way…'}
          </Text>
        </Timeline.Item>
        <Timeline.Item
          bullet={isDelivered ? <IconCheck size={15} aria-hidden /> : <IconInbox size={15} aria-hidden />}
          title={isDelivered ? `Delivered to ${delivery.destination.name}` : 'Delivery to the inbox'}
        >
          <Text size="sm" c="dimmed">
            {isDelivered
              ? `${ms === null ? 'A moment' : formatDuration(Math.max(ms, 1))} after it was accepted.`
              : delivery
                ? `${delivery.state}${delivery.code ? `: ${delivery.code}` : ''}`
                : 'On its way…'}
          </Text>
        </Timeline.Item>
      </Timeline>
      {run && run.outcome !== 'routed' && (
        <Alert color="red" variant="light" icon={<IconX size={18} aria-hidden />}>
          The pipeline {run.outcome} it{run.reason ? `: ${run.reason}` : '.'}
        </Alert>
      )}
      <JsonText value={event.payload} maxHeight={180} />
      <Anchor component={Link} to={`/events/${event.id}`} size="sm">
        Open the event, with every step and attempt
      </Anchor>
    </Stack>
  );
}

const describeRun = ({ pipeline, steps }: RunRecord): string =>
  `${pipeline.name}, version ${pipeline.version}: ${
    steps.length === 0
      ? 'no steps yet, so it went straight on.'
      : `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}.`
  }`;

function WhatNext({ pipeline }: { pipeline: PipelineRecord }) {
  return (
    <Card title="What next">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">Send events where they are needed: a webhook, a chat, email, a database.</Text>
          <Button component={Link} to="/destinations" variant="light">
            Add destination
          </Button>
        </Stack>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">Filter, reshape, redact or classify them on their way.</Text>
          <Button component={Link} to={`/pipelines/${pipeline.id}`} variant="light">
            Add step
          </Button>
        </Stack>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">See what comes in and where it goes, live.</Text>
          <Button component={Link} to="/" variant="light">
            View overview
          </Button>
        </Stack>
      </SimpleGrid>
    </Card>
  );
}
