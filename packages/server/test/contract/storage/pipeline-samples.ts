import type { StoredPipeline } from '../../../src/core/stores/configuration/pipelines.ts';
import type {
  ClaimedEvent,
  ClaimInput,
  SettledRun,
  Settlement,
} from '../../../src/core/stores/event-queue.ts';
import type { Job } from '../../../src/core/stores/jobs.ts';
import type { ClaimTokens } from '../../../src/core/stores/upkeep.ts';
import type { EveryStore } from '../../support/every-store.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';

/** Pipelines, claims and settlements, each unlike any other. A test names only what it is about. */

export const aPipeline = (orgId: string, given: Partial<StoredPipeline> = {}): StoredPipeline => ({
  id: idAt('pipe', NOW),
  orgId,
  name: 'Orders',
  enabled: true,
  version: 1,
  definition: '{"name":"Orders","sources":[],"steps":[],"destinations":[]}',
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

export const aJob = (orgId: string, given: Partial<Job> = {}): Job => ({
  id: idAt('job', NOW),
  orgId,
  kind: 'replay',
  state: 'running',
  request: '{}',
  total: 0,
  done: 0,
  failed: 0,
  position: null,
  notes: [],
  createdBy: 'ada@example.com',
  createdAt: NOW,
  finishedAt: null,
  ...given,
});

/** What is to be freed: what was claimed with these tokens. */
export const tokensOf = (given: Partial<ClaimTokens>): ClaimTokens => ({
  events: [],
  deliveries: [],
  probes: [],
  listeners: [],
  jobs: [],
  labels: [],
  ...given,
});

/** A job as who made it may still go on with it: nobody has claimed it. */
export const unclaimed = ({ orgId, id }: Pick<Job, 'orgId' | 'id'>) => ({ orgId, id, token: '' });

let tokens = 0;
export const aClaimInput = (given: Partial<ClaimInput> = {}): ClaimInput => ({
  token: `node ${++tokens}`,
  now: NOW,
  limit: 100,
  bytes: 1_000_000,
  after: '',
  except: [],
  ...given,
});

export const aRun = (given: Partial<SettledRun> = {}): SettledRun => ({
  id: idAt('run', NOW),
  pipelineId: 'pipe_one',
  pipelineName: 'One',
  version: 1,
  sourceName: 'Shop',
  outcome: 'routed',
  step: null,
  reason: null,
  trace: '{"steps":[],"states":[]}',
  output: '',
  payload: '{}',
  notes: [],
  claims: [],
  destinations: [],
  ...given,
});

/** What became of a claimed event: nothing, unless the test says so. */
export const aSettlement = (claimed: ClaimedEvent, given: Partial<Settlement> = {}): Settlement => ({
  orgId: claimed.orgId,
  eventId: claimed.event.id,
  jobId: claimed.jobId,
  token: claimed.token,
  runs: [],
  round: claimed.jobId === null && claimed.plan === null ? 'first' : 'later',
  parked: [],
  matchedSources: claimed.sourceId === null ? [] : null,
  tallies: [],
  ...given,
});

/** Accepted events of an organisation; answers their ids, oldest first. */
export async function accepted(storage: EveryStore, orgId: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => anEvent());
  await storage.append([aRequest(orgId, events)]);
  return events.map(({ id }) => id);
}

/** Settles whatever is waiting in this organisation, as if nobody listened. */
export async function settleAll(storage: EveryStore, orgId: string): Promise<void> {
  let after = '';
  for (let isOver = false; !isOver; ) {
    const batch = await storage.claimEvents(aClaimInput({ limit: 5_000, bytes: 100_000_000, after }));
    const own = batch.events.filter(claimed => claimed.orgId === orgId);
    await storage.settleEvents(
      own.map(claimed => aSettlement(claimed)),
      NOW,
    );
    isOver = batch.events.length === 0;
    after = batch.after;
  }
}
