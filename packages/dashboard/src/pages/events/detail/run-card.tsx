import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { IconArrowsDiff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ExactTime } from '../../../components/exact-time.tsx';
import { useAll } from '../../../lib/api/use-call.ts';
import { DeliveryLine } from './delivery-line.tsx';
import classes from './event.module.css';
import { RunHead } from './run-head.tsx';
import { StepLines } from './step-line.tsx';
import { TryList } from './try-list.tsx';

/** The event's way through one pipeline: each step, and each delivery that came of it. */
export function RunCard({ run, deliveries }: { run: RunRecord; deliveries: readonly DeliveryRecord[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const changes = run.steps.some(({ outcome }) => outcome === 'changed');
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs" align="flex-start">
        <RunHead
          pipeline={run.pipeline}
          state={run.outcome}
          when={
            <>
              <ExactTime at={run.at} />
              {run.replay && (
                <>
                  {' · replayed by '}
                  <Anchor component={Link} to={`/jobs/${run.replay}`} inherit>
                    a job
                  </Anchor>
                </>
              )}
            </>
          }
        />
        {changes && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowsDiff size={15} aria-hidden />}
            onClick={() => setShowsAll(!showsAll)}
          >
            {showsAll ? 'Collapse' : 'Show all changes'}
          </Button>
        )}
      </Group>
      {run.reason && run.step === null && (
        <Text size="sm" className={run.outcome === 'failed' ? classes.bad : undefined}>
          {run.reason}
        </Text>
      )}
      {run.steps.length > 0 ? (
        <StepLines run={run} showsChanges={showsAll} key={String(showsAll)} />
      ) : (
        run.outcome === 'routed' && (
          <Text size="sm" c="dimmed">
            No steps: the event passes through unchanged.
          </Text>
        )
      )}
      {run.step !== null && <TryList tries={run.tries} step={run.step} />}
      {run.routing.length > 0 && <NotSent routing={run.routing} />}
      {deliveries.length > 0 && (
        <ul className={classes.lines} aria-label={`Deliveries of ${run.pipeline.name}`}>
          {deliveries.map(delivery => (
            <DeliveryLine key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
    </Stack>
  );
}

/** Where it did not go, and why: the question that somebody came with. */
function NotSent({ routing }: { routing: RunRecord['routing'] }) {
  const destinations = useAll('GET /destinations');
  return (
    <ul className={classes.notes} aria-label="Where it did not go">
      {routing.map(({ destination, note }) => (
        <li key={destination}>
          Not to{' '}
          <Anchor component={Link} to={`/destinations/${destination}`} inherit>
            {destinations.data?.find(({ id }) => id === destination)?.name ?? destination}
          </Anchor>
          : {note}
        </li>
      ))}
    </ul>
  );
}
