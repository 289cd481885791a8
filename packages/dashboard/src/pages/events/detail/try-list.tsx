import { Group, Text } from '@mantine/core';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { ExactTime } from '../../../components/exact-time.tsx';
import { ModelAnswer } from '../../../components/model-answer.tsx';
import classes from './event.module.css';

/** What each attempt of a step came to, with what the model answered. */
export function TryList({ tries, step }: { tries: RunRecord['tries']; step: number }) {
  if (tries.length === 0) return null;
  return (
    <ol className={`${classes.lines} ${classes.tries}`} aria-label={`Attempts of step ${step + 1}`}>
      {tries.map(({ at, reason, answer }, n) => (
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
  );
}
