import { Anchor, Group, Text } from '@mantine/core';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StateBadge } from '../../../components/state-badge.tsx';
import classes from './event.module.css';

/** Which pipeline ran, in which version, and what came of it; below that when. */
export function RunHead(props: { pipeline: RunRecord['pipeline']; state: string; when: ReactNode }) {
  const { pipeline, state, when } = props;
  return (
    <div>
      <Group gap="xs">
        <Text span className={classes.name ?? ''}>
          <Anchor component={Link} to={`/pipelines/${pipeline.id}`} inherit c="inherit">
            {pipeline.name}
          </Anchor>
        </Text>
        <Text span size="sm" c="dimmed">
          version {pipeline.version}
        </Text>
        <StateBadge state={state} />
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {when}
      </Text>
    </div>
  );
}
