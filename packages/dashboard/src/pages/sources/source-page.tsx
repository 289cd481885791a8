import { Anchor, Badge, Button, Grid, Group, Stack, Text } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CloneButton } from '../../components/clone.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { UsedBy } from '../../components/used-by.tsx';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { labelOfSourceKind } from '../../lib/source-kind.ts';
import { useDelete } from '../../lib/use-delete.ts';
import { usePathId } from '../../lib/use-path-id.ts';
import { OpenWarning } from './auth-choice.tsx';
import { NewSourcePage } from './new-source.tsx';
import { PasteCard } from './paste-card.tsx';
import { ProviderIcon } from './provider-icon.tsx';
import { RejectedRequests } from './rejected-requests.tsx';
import { SendingCard } from './sending-card.tsx';
import { SourceSettings } from './source-settings.tsx';
import { TrafficCard } from './traffic-card.tsx';

/** One source: how to send to it, what it refused, and its settings. `/sources/new` makes one. */
export default function SourcePage() {
  const id = usePathId();
  return id === 'new' ? <NewSourcePage /> : <ExistingSource key={id} id={id} />;
}

function ExistingSource({ id }: { id: string }) {
  const { data: source, error, refetch } = useCall('GET /sources/:id', { id }, { live: true });
  const mayChange = useMay()('sources.change');
  const toggle = useChange('PATCH /sources/:id');
  if (!source) return <Waiting error={error} onRetry={() => void refetch()} />;

  const { name, enabled, kind } = source;
  return (
    <Page
      title={name}
      badge={
        <Group gap={6}>
          <StateBadge state={enabled ? 'enabled' : 'disabled'} />
          <Badge color="gray" tt="none" fw={600}>
            {labelOfSourceKind(kind)}
          </Badge>
          {source.kind === 'webhook' && source.provider !== undefined && (
            <Badge
              color="gray"
              tt="none"
              fw={600}
              leftSection={<ProviderIcon name={source.provider} size={14} />}
            >
              {source.provider}
            </Badge>
          )}
        </Group>
      }
      lead={
        <>
          Last event: <RelativeTime at={source.last_event_at} /> ·{' '}
          <Anchor size="sm" renderRoot={root => <Link to="/events" search={{ source: id }} {...root} />}>
            View events
          </Anchor>
        </>
      }
      actions={
        mayChange &&
        source.kind !== 'system' && (
          <>
            <Button
              variant="default"
              loading={toggle.isPending}
              onClick={() => toggle.mutate({ id, body: { enabled: !enabled } })}
            >
              {enabled ? 'Disable' : 'Enable'}
            </Button>
            <CloneButton to="/sources/new" id={id} />
            <DeleteSource source={source} />
          </>
        )
      }
    >
      {toggle.error && <ErrorNotice error={toggle.error} />}
      {source.kind === 'webhook' && source.auth === 'none' && <OpenWarning />}
      <Grid gap="md" align="flex-start">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="md">
            {source.kind === 'system' ? <SystemCard /> : <SendingCard source={source} />}
            {source.kind === 'webhook' && source.provider !== undefined && (
              <PasteCard name={source.provider} />
            )}
            <TrafficCard source={source} />
            {source.kind === 'webhook' && <RejectedRequests source={source} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <SourceSettings source={source} mayChange={mayChange} />
            <UsedBy
              id={id}
              as="source"
              none="No pipeline listens to it yet, so its events are stored and not routed."
            />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** What stands in place of how to send to it. */
const SystemCard = () => (
  <Card
    title="System events"
    lead="What Sluice reports about itself: destinations down, dead letters, failing pipelines."
  >
    <Text size="sm">
      Nobody can send to this source. Let a pipeline listen to it, or set it up under{' '}
      <Anchor size="sm" renderRoot={root => <Link to="/settings/alerts" {...root} />}>
        Settings → Alerts
      </Anchor>
      .
    </Text>
  </Card>
);

function DeleteSource({ source }: { source: Exclude<SourceRecord, { kind: 'system' }> }) {
  const remove = useDelete('DELETE /sources/:id');
  return (
    <ConfirmButton
      label="Delete"
      act="Delete"
      question={
        <>
          <Text size="sm" mb="xs">
            {source.kind === 'webhook'
              ? `The URL of “${source.name}” will return 404 permanently. A new source gets a new URL.`
              : `Events matching ${source.match} will no longer belong to “${source.name}”.`}
          </Text>
          <Text size="sm">It is removed from its pipelines. Its events stay.</Text>
        </>
      }
      onConfirm={() => remove({ id: source.id }, { name: source.name, to: '/sources' })}
    />
  );
}
