import { Anchor, Text } from '@mantine/core';
import type { EntityIdentityRecord } from '@sluice/contract/entity';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { type EntityName, entityPage, nameOf } from '../../lib/entity-path.ts';
import { TraitTable } from './trait-table.tsx';
import { UPDATES_LATER, useIdentity } from './use-identity.ts';

/** Everybody that is the same as this one, and what is known about all of them together. */
export function IdentityCard({ name }: { name: EntityName }) {
  const { identity, isOutdated } = useIdentity(name);
  return (
    <Card title="Identity" lead={isOutdated ? UPDATES_LATER : leadOf(identity.data)}>
      {identity.error && <ErrorNotice error={identity.error} onRetry={() => void identity.refetch()} />}
      {identity.isLoading && <Loading />}
      {identity.data && (
        <TraitTable
          label="Traits of the identity"
          traits={identity.data.traits}
          timeOf={trait => identity.data.provenance[trait]?.updated_at ?? null}
          fromOf={trait => <Origin of={identity.data.provenance[trait]} here={name} />}
        />
      )}
    </Card>
  );
}

const leadOf = (identity: EntityIdentityRecord | undefined): string => {
  if (!identity || identity.members.length < 2) return 'No same_as links join this entity to others.';
  const count = identity.truncated ? `more than ${identity.members.length}` : String(identity.members.length);
  return `${count} entities are joined by same_as. For each trait, the latest value wins.`;
};

function Origin({ of, here }: { of: EntityName | undefined; here: EntityName }) {
  if (!of || (of.kind === here.kind && of.external_id === here.external_id)) {
    return (
      <Text size="sm" c="dimmed">
        this entity
      </Text>
    );
  }
  return (
    <Anchor component={Link} to={entityPage(of)} size="sm">
      {nameOf(of)}
    </Anchor>
  );
}
