import { Alert, Timeline } from '@mantine/core';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { IconAlertTriangle, IconDownload, IconFilterOff, IconRepeat, IconRoute } from '@tabler/icons-react';
import { AcceptedCard } from './accepted-card.tsx';
import { RunCard } from './run-card.tsx';
import { StoppedRunCard } from './stopped-run-card.tsx';

const bullets = { routed: IconRoute, dropped: IconFilterOff, failed: IconAlertTriangle } as const;
const colours = { routed: 'water', dropped: 'gray', failed: 'red' } as const;

/** The whole way of an event, from the endpoint it came in at to every destination. */
export function EventTimeline({ event }: { event: EventRecord }) {
  const deliveriesOf = (run: RunRecord) =>
    event.deliveries.filter(({ run_id }) => run_id === run.id).reverse();
  return (
    <>
      <Timeline bulletSize={28} lineWidth={2} active={event.runs.length} color="water">
        <Timeline.Item bullet={<IconDownload size={15} aria-hidden />}>
          <AcceptedCard event={event} />
        </Timeline.Item>
        {event.runs.map(run => {
          const Bullet = bullets[run.outcome];
          return (
            <Timeline.Item
              key={run.id}
              bullet={<Bullet size={15} aria-hidden />}
              color={colours[run.outcome]}
            >
              <RunCard run={run} deliveries={deliveriesOf(run)} />
            </Timeline.Item>
          );
        })}
        {event.waiting?.runs.map(run => (
          <Timeline.Item
            key={run.pipeline.id}
            bullet={<IconRepeat size={15} aria-hidden />}
            color="yellow"
            lineVariant="dashed"
          >
            <StoppedRunCard run={run} />
          </Timeline.Item>
        ))}
      </Timeline>
      {event.runs_cut && (
        <Alert color="gray" variant="light" mt="md">
          Only its latest {event.runs.length} runs are shown here.
        </Alert>
      )}
      {event.deliveries_cut && (
        <Alert color="gray" variant="light" mt="md">
          Only its latest {event.deliveries.length} deliveries are shown here. The list of deliveries has all
          of them.
        </Alert>
      )}
    </>
  );
}
