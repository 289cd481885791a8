import { Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Card } from '../../components/card.tsx';
import { CopyIcon } from '../../components/copy.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import type { EntityName } from '../../lib/entity-path.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { DeleteEntity } from './delete-entity.tsx';
import { EntityEvents } from './entity-events.tsx';
import { EntityGraph } from './entity-graph.tsx';
import { EntityLinks } from './entity-links.tsx';
import { IdentityCard } from './identity-card.tsx';
import { TraitsCard } from './traits-card.tsx';

/** One entity: its traits, the identity it is part of, what it is linked to, and its events. */
export default function EntityPage() {
  const { kind = '', externalId = '' } = useParams({ strict: false });
  const name = useMemo((): EntityName => ({ kind, external_id: externalId }), [kind, externalId]);
  const entity = useCall('GET /entities/:kind/:external_id', name, { live: true });
  const may = useMay();
  if (!entity.data) return <Waiting error={entity.error} onRetry={() => void entity.refetch()} />;
  const { version, created_at, updated_at } = entity.data;

  return (
    <Page
      title={externalId}
      badge={<CopyIcon text={externalId} label="Copy external id" />}
      lead={
        <Group gap={6}>
          <Text size="sm" fw={600} span style={{ overflowWrap: 'anywhere' }}>
            {kind}
          </Text>
          · version {version} · created <RelativeTime at={created_at} /> · updated{' '}
          <RelativeTime at={updated_at} />
        </Group>
      }
      actions={may('entities.change') && <DeleteEntity name={name} />}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <TraitsCard key={`${kind} ${externalId}`} entity={entity.data} />
        <IdentityCard name={name} />
      </SimpleGrid>
      <GraphCard name={name} />
      <EntityEvents name={name} />
    </Page>
  );
}

const depths = ['1', '2', '3'] as const;

function GraphCard({ name }: { name: EntityName }) {
  const [{ depth = '1' }, setFilters] = useFilters();
  return (
    <Card
      title="Links"
      lead="What it is linked to, in both directions."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Depth"
          value={depth}
          onChange={value => setFilters({ depth: value === '1' ? undefined : value })}
          data={depths.map(value => ({ value, label: value === '1' ? '1 step' : `${value} steps` }))}
        />
      }
    >
      <EntityGraph name={name} depth={depth} />
      <EntityLinks key={`${name.kind} ${name.external_id}`} name={name} />
    </Card>
  );
}
