import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { StoppedRunRecord } from '@sluice/contract/dashboard-pipelines';
import { Link } from '@tanstack/react-router';
import { ExactTime } from '../../../components/exact-time.tsx';
import { ModelAnswer } from '../../../components/model-answer.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import classes from './event.module.css';
import { StepLines } from './step-line.tsx';

/** A run that waits to be tried again: where it stopped, what each attempt came to, and the steps before it. */
export function StoppedRunCard({ run }: { run: StoppedRunRecord }) {
  return (
    <Stack gap="sm">
      <div>
        <Group gap="xs">
          <Text span fw={600}>
            <Anchor component={Link} to={`/pipelines/${run.pipeline.id}`} inherit c="inherit">
              {run.pipeline.name}
            </Anchor>
          </Text>
          <Text span size="sm" c="dimmed">
            version {run.pipeline.version}
          </Text>
          <StateBadge state="retrying" />
        </Group>
        <Text size="sm" c="dimmed" component="div">
          Next attempt <RelativeTime at={run.until} />
        </Text>
      </div>
      <StepLines run={run} showsChanges />
      <ol className={classes.lines} aria-label={`Attempts of step ${run.step + 1}`}>
        {run.tries.map(({ at, reason, answer }, n) => (
          <li key={at}>
            <Group gap="xs">
              <Text span size="sm" fw={600}>
                Attempt {n + 1}
              </Text>
              <Text span size="xs" c="dimmed">
                <ExactTime at={at} />
              </Text>
            </Group>
            <Text size="sm" className={classes.bad}>
              {reason}
            </Text>
            <ModelAnswer answer={answer} />
          </li>
        ))}
      </ol>
    </Stack>
  );
}
