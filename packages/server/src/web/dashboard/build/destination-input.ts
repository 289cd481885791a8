import {
  type DeliveryPolicy,
  deliveryPolicy,
  type destinationBody,
  type destinationChange,
} from '@sluice/contract/dashboard-deliveries';
import type { z } from 'zod';
import { newId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { DestinationAdmin } from '../../../core/kinds/destination-admin.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';

/** Destinations as somebody enters them, checked and sealed. Both throw a 400 that names the field. */

interface NewDestinationInput extends Omit<z.output<typeof destinationBody>, 'clone_of'> {
  /** Whose secrets are copied where the configuration says that they are set. */
  readonly original?: StoredDestination | null;
  readonly paused?: boolean;
}

/** The secret is one that was made because nobody gave it, to be answered once. */
export async function newDestination(
  { kind, name, config: given, policy, original = null, paused = false }: NewDestinationInput,
  orgId: string,
  now: number,
  destinationAdmin: Pick<DestinationAdmin, 'accept'>,
): Promise<{ readonly destination: StoredDestination; readonly secret: string | null }> {
  const id = newId('dst', now);
  const { config, secret } = await destinationAdmin.accept({
    orgId,
    id,
    kind,
    config: given as JsonObject,
    stored: original,
  });
  const destination: StoredDestination = {
    id,
    orgId,
    kind,
    name,
    config,
    policy,
    paused,
    breaker: null,
    listenerToken: null,
    formerPolicies: [],
    createdAt: now,
    updatedAt: now,
  };
  return { destination, secret };
}

/** What is left out stays as it is. */
export async function changedDestination(
  given: z.output<typeof destinationChange>,
  stored: StoredDestination,
  destinationAdmin: Pick<DestinationAdmin, 'accept'>,
): Promise<{
  readonly change: Partial<Pick<StoredDestination, 'name' | 'policy' | 'config'>>;
  readonly secret: string | null;
}> {
  const { orgId, id, kind } = stored;
  const accepted =
    given.config === undefined
      ? null
      : await destinationAdmin.accept({ orgId, id, kind, config: given.config as JsonObject, stored });
  const policy = given.policy && mergedPolicy(stored.policy, given.policy);
  return {
    change: { name: given.name, policy, config: accepted?.config },
    secret: accepted?.secret ?? null,
  };
}

const mergedPolicy = (stored: DeliveryPolicy, given: z.output<typeof destinationChange>['policy']) =>
  deliveryPolicy.parse({ ...stored, ...given });
