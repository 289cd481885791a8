import { Anchor, Group, Text } from '@mantine/core';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import { Link } from '@tanstack/react-router';
import { useAll } from '../lib/api/use-call.ts';
import { useMay } from '../lib/session.tsx';
import { Card } from './card.tsx';
import { StateBadge } from './state-badge.tsx';

/** Which pipelines use a source or a destination. */
export function usePipelinesOf(): (id: string) => readonly PipelineRecord[] {
  const { data = [] } = useAll('GET /pipelines');
  return id =>
    data.filter(
      ({ sources, destinations }) => sources.includes(id) || destinations.some(one => one.id === id),
    );
}

/** `as`: what it is, so that a pipeline can be made with it. */
export function UsedBy(props: { id: string; as: 'source' | 'destination'; none: string }) {
  const { id, none } = props;
  const mayMake = useMay()('pipelines.change');
  const { isSuccess } = useAll('GET /pipelines');
  const pipelines = usePipelinesOf()(id);
  return (
    <Card title="Pipelines">
      {isSuccess && pipelines.length === 0 && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {isSuccess && pipelines.length === 0 && mayMake && (
        <Anchor
          size="sm"
          renderRoot={root => <Link to="/pipelines/new" search={{ [props.as]: id }} {...root} />}
        >
          Create pipeline
        </Anchor>
      )}
      {pipelines.map(({ id: pipeline, name, enabled }) => (
        <Group key={pipeline} gap="xs" wrap="nowrap" mb={4}>
          <Anchor component={Link} to={`/pipelines/${pipeline}`} size="sm" truncate title={name}>
            {name}
          </Anchor>
          {!enabled && <StateBadge state="disabled" />}
        </Group>
      ))}
    </Card>
  );
}

/** As a sentence: `Orders, Alerts and 2 more`. */
export function namesOf(pipelines: readonly PipelineRecord[], most = 2): string {
  if (pipelines.length === 0) return '–';
  const shown = pipelines.slice(0, most).map(({ name }) => name);
  const left = pipelines.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}
