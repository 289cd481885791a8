import { Alert, Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import type { DestinationRecord, DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import { type SystemEventType, typesOfCondition } from '@sluice/contract/system-events';
import { Link } from '@tanstack/react-router';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { useDelete } from '../../lib/use-delete.ts';
import { ChannelTypes, titlesOf } from './channel-types.tsx';

/** The pipelines that listen to nothing but system events. */
export const channelsOf = (pipelines: readonly PipelineRecord[], sourceId: string): PipelineRecord[] =>
  pipelines.filter(({ sources }) => sources.length > 0 && sources.every(id => id === sourceId));

/** Which types a pipeline tells; null where somebody has written steps of their own. */
function typesOf({ steps }: Pick<PipelineRecord, 'steps'>): SystemEventType[] | null {
  const [only, ...others] = steps;
  if (only?.kind !== 'filter.match' || others.length > 0) return null;
  const { condition } = only.config as { readonly condition?: unknown };
  return typeof condition === 'string' ? typesOfCondition(condition) : null;
}

/** One place where alerts are told: on or off, tested, changed, removed. */
export function AlertChannel(props: {
  pipeline: PipelineRecord;
  alerts: AlertsRecord;
  destinations: readonly DestinationRecord[];
  mayChange: boolean;
}) {
  const { pipeline, alerts, destinations, mayChange } = props;
  const { id, name, enabled } = pipeline;
  const change = useChange('PATCH /pipelines/:id');
  const remove = useDelete('DELETE /pipelines/:id');
  const test = useChange('POST /destinations/:id/test');
  const types = typesOf(pipeline);
  const to = destinations.filter(one => pipeline.destinations.some(other => other.id === one.id));
  const [first] = to;

  return (
    <Stack gap="xs" role="group" aria-label={name}>
      <Group justify="space-between" gap="sm">
        <div>
          <Anchor size="sm" fw={600} renderRoot={root => <Link to={`/pipelines/${id}`} {...root} />}>
            {name}
          </Anchor>
          <Text size="sm" c="dimmed">
            {to.map(one => `${one.name} (${one.kind})`).join(', ') || 'No destination: nobody is notified.'}
          </Text>
        </div>
        {mayChange ? (
          <Group gap="xs">
            <Switch
              aria-label={`${name} on`}
              checked={enabled}
              onChange={event => change.mutate({ id, body: { enabled: event.currentTarget.checked } })}
            />
            <Button
              variant="default"
              size="compact-sm"
              disabled={first === undefined}
              loading={test.isPending}
              onClick={() => first && test.mutate({ id: first.id, body: {} })}
            >
              Send a test
            </Button>
            <ConfirmButton
              label="Delete"
              act="Delete"
              question={`“${name}” no longer sends alerts. Its destination stays.`}
              onConfirm={() => remove({ id }, { name })}
              button={{ size: 'compact-sm' }}
            />
          </Group>
        ) : (
          <Text size="sm">{enabled ? 'On' : 'Off'}</Text>
        )}
      </Group>
      {change.error && <ErrorNotice error={change.error} />}
      {test.error && <ErrorNotice error={test.error} />}
      {test.data && <Tested result={test.data} />}
      {types === null ? (
        <Text size="sm" c="dimmed">
          Its pipeline has steps of its own, which decide what is sent.
        </Text>
      ) : mayChange ? (
        <ChannelTypes id={id} types={types} offered={alerts.types} />
      ) : (
        <Text size="sm">{titlesOf(types)}</Text>
      )}
    </Stack>
  );
}

function Tested({ result: { outcome, status, message } }: { result: DestinationTestRecord }) {
  const isDelivered = outcome === 'delivered';
  return (
    <Alert color={isDelivered ? 'green' : 'red'} variant="light" role="status">
      {isDelivered ? 'The test was delivered.' : `The test failed. ${message ?? `Status ${status}.`}`}
    </Alert>
  );
}
