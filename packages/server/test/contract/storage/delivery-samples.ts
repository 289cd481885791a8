import type { StoredDestination } from '../../../src/core/stores/configuration/destinations.ts';
import type { EveryStore } from '../../support/every-store.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';

const policy = {
  attempts: 3,
  schedule_s: [0, 1],
  timeout_s: 15,
  concurrency: 16,
  rate_per_second: 0,
};

export const aDestination = (orgId: string, given: Partial<StoredDestination> = {}): StoredDestination => ({
  id: idAt('dst', NOW),
  orgId,
  kind: 'inbox',
  name: 'Somewhere',
  config: '{}',
  policy,
  paused: false,
  breaker: null,
  listenerToken: null,
  formerPolicies: [],
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

/** Events that were accepted and settled with one delivery to each of these; answers the id of the first. */
export async function routedTo(
  storage: EveryStore,
  orgId: string,
  destinations: readonly string[],
  { at = NOW, payload = '{"n":1}', count = 1 } = {},
): Promise<string> {
  const made = Array.from({ length: count }, () => anEvent({ payload }));
  await storage.append([aRequest(orgId, made)]);
  const ids = new Set(made.map(({ id }) => id));
  // The database is shared: others' events are given back.
  const { events } = await storage.claimEvents({
    token: `token ${made[0]?.id}`,
    now: NOW,
    limit: 1_000,
    bytes: 1 << 28,
    after: orgId.slice(0, -1),
    except: [],
  });
  const [ours, others] = [true, false].map(own => events.filter(({ event }) => ids.has(event.id) === own));
  if (ours?.length !== count) throw new Error('The events were not claimed.');
  await storage.settleEvents(
    ours.map(({ event, token }) => ({
      orgId,
      eventId: event.id,
      jobId: null,
      token,
      round: 'first' as const,
      parked: [],
      matchedSources: [
        { id: 'src_2', name: 'Before it by name' },
        { id: 'src_1', name: 'Shop' },
      ],
      tallies: [],
      runs: [
        {
          id: idAt('run', NOW),
          pipelineId: 'pipe_1',
          pipelineName: 'All',
          version: 1,
          sourceName: 'Shop',
          outcome: 'routed' as const,
          step: null,
          reason: null,
          trace: '[]',
          output: `{"payload":${payload},"labels":{}}`,
          payload,
          notes: [],
          claims: [],
          destinations,
        },
      ],
    })),
    at,
  );
  await storage.releaseClaims(
    (others ?? []).map(({ token }) => token),
    NOW,
  );
  return made[0]?.id ?? '';
}
