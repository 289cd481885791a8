import { newId } from '../../src/core/ids.ts';
import type { StoredDestination } from '../../src/core/stores/configuration/destinations.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import type { Seed } from './service.ts';

/** Settings of a process that may reach receivers on the loopback. */
export const OPEN_TO_LOOPBACK = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };

/** Straight into storage: everything of that organisation goes to a webhook at this address. */
export async function routeAllTo(
  { configuration }: StorageEngine,
  { orgId }: Pick<Seed, 'orgId'>,
  url: string,
  policy: Partial<StoredDestination['policy']> = {},
): Promise<StoredDestination> {
  const now = Date.now();
  const destination: StoredDestination = {
    id: newId('dst'),
    orgId,
    kind: 'webhook',
    name: 'Receiver',
    config: JSON.stringify({ url, auth: { mode: 'none' } }),
    policy: {
      attempts: 8,
      schedule_s: [0, 1],
      timeout_s: 15,
      concurrency: 16,
      rate_per_second: 0,
      ...policy,
    },
    paused: false,
    breaker: null,
    listenerToken: null,
    formerPolicies: [],
    createdAt: now,
    updatedAt: now,
  };
  await configuration.createDestination(destination);
  const source = { id: newId('src'), orgId, name: 'All', enabled: true, createdAt: now, updatedAt: now };
  await configuration.createSource({ ...source, kind: 'sdk', match: '*', lastEventAt: null });
  const definition = {
    name: 'All',
    sources: [source.id],
    steps: [],
    destinations: [{ id: destination.id }],
  };
  await configuration.createPipeline(
    {
      id: newId('pipe'),
      orgId,
      name: 'All',
      enabled: true,
      version: 1,
      definition: JSON.stringify(definition),
      createdAt: now,
      updatedAt: now,
    },
    'test',
  );
  return destination;
}
