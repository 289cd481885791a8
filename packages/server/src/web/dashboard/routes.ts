import type { EventLimits } from '@sluice/contract';
import type { Hono } from 'hono';
import type { Clock } from '../../core/clock.ts';
import type { Storage } from '../../core/ports.ts';
import type { EntityActions } from '../../core/ports-entities.ts';
import type { Vault } from '../../core/vault.ts';
import type { LiveFeed } from '../../telemetry/live-feed.ts';
import type { ClientSettings } from '../client.ts';
import type { WebEnv } from '../env.ts';
import { createCursors } from '../paging.ts';
import type { BodyLimits } from '../read-json.ts';
import { auditCalls } from './audit.ts';
import { createCalls } from './calls.ts';
import { conditionCalls } from './conditions.ts';
import { counterCalls } from './counters.ts';
import { deadLetterCalls } from './dead-letters.ts';
import { deliveryCalls } from './deliveries.ts';
import { type Desk, destinationCalls } from './destinations.ts';
import { dryRunCalls, type PipelineTrial } from './dry-run.ts';
import { entityCalls } from './entities.ts';
import { eventCalls, type TraceReader } from './events.ts';
import type { FirstUser } from './first-user.ts';
import { privateHeaders } from './headers.ts';
import { healthCalls, type ServiceHealth } from './health.ts';
import { invitationCalls } from './invitations.ts';
import { jobCalls } from './jobs.ts';
import { keyCalls } from './keys.ts';
import { type CallAgain, liveCalls } from './live.ts';
import { liveEventCalls } from './live-events.ts';
import { mapCalls } from './map.ts';
import { memberCalls } from './members.ts';
import { organisationCalls } from './organisations.ts';
import { overviewCalls } from './overview.ts';
import { addPages } from './pages.ts';
import { createPasswordCheck, type Passwords } from './passwords.ts';
import { type PipelineChecks, pipelineCalls } from './pipelines.ts';
import { replayCalls } from './replays.ts';
import { searchCalls } from './search.ts';
import { searchInTurns } from './search-turns.ts';
import { sessionCalls } from './session.ts';
import { createSessions } from './sessions.ts';
import { setupCalls } from './setup.ts';
import { sourceCalls } from './sources.ts';
import { createThrottle } from './throttle.ts';

export interface DashboardDependencies {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly firstUser: FirstUser;
  readonly desk: Desk;
  readonly pipelineDesk: PipelineChecks & PipelineTrial & TraceReader;
  /** Something may be due for delivery. */
  onDeliveriesDue(): void;
  readonly entityActions: EntityActions;
  readonly live: LiveFeed;
  readonly health: ServiceHealth;
  readonly client: ClientSettings;
  readonly limits: BodyLimits & EventLimits;
  readonly defaultRetentionDays: number;
  /** The folder that the dashboard was built into. */
  readonly pagesFrom: string;
}

/** The private calls, a line for each subject. */
const subjects = [
  sessionCalls,
  setupCalls,
  keyCalls,
  sourceCalls,
  memberCalls,
  invitationCalls,
  organisationCalls,
  eventCalls,
  pipelineCalls,
  dryRunCalls,
  conditionCalls,
  replayCalls,
  jobCalls,
  destinationCalls,
  deliveryCalls,
  deadLetterCalls,
  entityCalls,
  auditCalls,
  liveCalls,
  liveEventCalls,
  searchCalls,
  counterCalls,
  overviewCalls,
  mapCalls,
  healthCalls,
];

/** The dashboard: its pages at `/`, its private calls under `/dashboard/api/`. */
export function addDashboard(app: Hono<WebEnv>, dependencies: DashboardDependencies): void {
  const { storage, vault, clock, passwords } = dependencies;
  const throttle = createThrottle(clock);
  const callAgain: CallAgain = async ({ request, client }, path) => {
    const headers = new Headers(request.headers);
    headers.set('Accept', 'application/json');
    const again = new Request(new URL(`/dashboard/api${path}`, request.url), {
      headers,
      signal: request.signal,
    });
    return app.fetch(again, { address: client.address });
  };
  const parts = {
    ...dependencies,
    storage: searchInTurns(storage),
    throttle,
    sessions: createSessions(storage, clock),
    checkPassword: createPasswordCheck(storage, passwords, throttle),
    cursors: createCursors(vault),
    callAgain,
  };

  addPages(app, dependencies.pagesFrom);
  app.use('/dashboard/*', privateHeaders);
  const calls = createCalls(app, parts);
  for (const define of subjects) define(calls, parts);
}
