import type { EntityIdentityRecord } from '@sluice/contract/entity';
import type { UseQueryResult } from '@tanstack/react-query';
import type { CallError } from '../../lib/api/call.ts';
import { useCall } from '../../lib/api/use-call.ts';
import type { EntityName } from '../../lib/entity-path.ts';
import { usePendingRemovals } from '../../lib/undo/use-removals.tsx';
import { IDENTITIES } from './use-unlink.ts';

/**
 * The identity that an entity is part of. A link that is shown as removed still joins it until the removal is carried
 * out: who is left then only the server knows, and `isOutdated` says so meanwhile.
 */
export function useIdentity(name: EntityName): {
  identity: UseQueryResult<EntityIdentityRecord, CallError>;
  isOutdated: boolean;
} {
  const identity = useCall('GET /entities/:kind/:external_id/identity', name, { live: true });
  const members = identity.data?.members ?? [];
  const isOutdated = usePendingRemovals().some(removal =>
    members.some(member => removal.hides(IDENTITIES, member)),
  );
  return { identity, isOutdated };
}

/** Said where what is shown is still that of before. */
export const UPDATES_LATER = 'Updates once the link is removed.';
