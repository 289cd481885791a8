import type { EventLimits } from '@sluice/contract';
import type { Hono } from 'hono';
import type { Clock } from '../../core/clock.ts';
import type { LargeEntityBodies } from '../../core/entities/bodies.ts';
import type { DeadLetterActions } from '../../core/jobs/dead-letters.ts';
import type { ExportActions } from '../../core/jobs/export.ts';
import type { ReplayActions } from '../../core/jobs/replay.ts';
import type { DestinationAdmin } from '../../core/kinds/destination-admin.ts';
import type { PipelineAdmin } from '../../core/kinds/pipeline-admin.ts';
import type { ProviderAdmin } from '../../core/kinds/provider-admin.ts';
import type { Vault } from '../../core/secrets/vault.ts';
import type { Stores } from '../../core/stores/engine.ts';
import type { EntityActions } from '../../core/stores/entities.ts';
import type { LiveFeed } from '../../telemetry/live-feed.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { ClientSettings } from '../client.ts';
import type { WebEnv } from '../env.ts';
import { createCursors } from '../paging.ts';
import type { BodyReading } from '../read-json.ts';
import { accountCalls } from './access/account.ts';
import type { FirstUser } from './access/first-user.ts';
import { invitationCalls } from './access/invitations.ts';
import { createLoginAttempts } from './access/login-attempts.ts';
import { memberCalls } from './access/members.ts';
import type { OperatorOrganisation } from './access/operator.ts';
import { organisationCalls } from './access/organisations.ts';
import { createPasswordCheck, type Passwords } from './access/passwords.ts';
import { createSecondFactors } from './access/second-factor.ts';
import { sessionCalls } from './access/session.ts';
import { createSessions } from './access/sessions.ts';
import { setupCalls } from './access/setup.ts';
import { createThrottle } from './access/throttle.ts';
import { whereaboutsCalls } from './access/whereabouts.ts';
import { alertCalls } from './build/alerts.ts';
import { conditionCalls } from './build/conditions.ts';
import { destinationTestCalls } from './build/destination-tests.ts';
import { destinationCalls } from './build/destinations.ts';
import { dryRunCalls } from './build/dry-run.ts';
import { keyCalls } from './build/keys.ts';
import { pipelineCalls } from './build/pipelines.ts';
import { sourceCalls } from './build/sources.ts';
import { testEventCalls } from './build/test-events.ts';
import { createTriedEvents } from './build/tried-event.ts';
import { besideIn } from './call-address.ts';
import { createCalls, type EventSize } from './calls.ts';
import { configurationCalls } from './configuration/calls.ts';
import type { DocumentThread } from './configuration/document-thread.ts';
import { privateHeaders } from './headers.ts';
import { type CallAgain, liveCalls } from './live/live.ts';
import { liveEventCalls } from './live/live-events.ts';
import { auditCalls } from './monitor/audit.ts';
import { deadLetterCalls } from './monitor/dead-letters.ts';
import { deliveryCalls } from './monitor/deliveries.ts';
import { entityCalls } from './monitor/entities.ts';
import { eventChartCalls } from './monitor/event-charts.ts';
import { eventCalls } from './monitor/events.ts';
import { exportCalls } from './monitor/exports.ts';
import { healthCalls, type ServiceHealth } from './monitor/health.ts';
import { jobCalls } from './monitor/jobs.ts';
import { type Fleet, nodeCalls } from './monitor/nodes.ts';
import { replayCalls } from './monitor/replays.ts';
import { searchCalls } from './monitor/search.ts';
import { withSearchLimit } from './monitor/search-limit.ts';
import { viewCalls } from './monitor/views.ts';
import { badgeCalls } from './overview/badges.ts';
import { counterCalls } from './overview/counters.ts';
import { figureCalls } from './overview/figures.ts';
import { listFigureCalls } from './overview/list-figures.ts';
import { mapCalls } from './overview/map.ts';
import { overviewCalls } from './overview/overview.ts';
import { pipelineFigureCalls } from './overview/pipeline-figures.ts';
import { topCalls } from './overview/top.ts';
import { addPages, type ReadPageFile } from './pages.ts';

/** Each subject below takes of the stores what it uses, and of upkeep none does. */
export interface DashboardDependencies extends Omit<Stores, 'upkeep'> {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly passwords: Passwords;
  readonly firstUser: FirstUser;
  readonly destinationAdmin: DestinationAdmin;
  readonly deadLetters: DeadLetterActions;
  readonly replays: ReplayActions;
  readonly exports: ExportActions;
  readonly pipelineAdmin: PipelineAdmin;
  readonly providerAdmin: ProviderAdmin;
  /** Something may be due for delivery. */
  onDeliveriesDue(): void;
  readonly entityActions: EntityActions;
  readonly live: LiveFeed;
  readonly health: ServiceHealth;
  readonly operator: OperatorOrganisation;
  readonly fleet: Fleet;
  readonly client: ClientSettings;
  /** Looks at each private call for signs of a proxy. */
  lookForProxy(request: Request): void;
  /** See `createSessions`. */
  readonly cookiePrefixedSince: number;
  readonly limits: BodyReading['limits'] & EventLimits & EventSize;
  readonly room: BodyReading['room'];
  readonly largeBodies: LargeEntityBodies;
  readonly documents: DocumentThread;
  readonly defaultRetentionDays: number;
  readonly mostOrganisationsPerUser: number;
  /** The files that the dashboard was built into. */
  readonly pages: ReadPageFile;
}

/** The private calls, a line for each subject. */
const subjects = [
  sessionCalls,
  whereaboutsCalls,
  accountCalls,
  setupCalls,
  keyCalls,
  sourceCalls,
  alertCalls,
  memberCalls,
  invitationCalls,
  organisationCalls,
  // Before the event of an id: `/events/export` is none.
  eventChartCalls,
  exportCalls,
  eventCalls,
  viewCalls,
  pipelineCalls,
  dryRunCalls,
  testEventCalls,
  conditionCalls,
  replayCalls,
  jobCalls,
  destinationCalls,
  destinationTestCalls,
  configurationCalls,
  deliveryCalls,
  deadLetterCalls,
  entityCalls,
  auditCalls,
  liveCalls,
  liveEventCalls,
  searchCalls,
  counterCalls,
  overviewCalls,
  topCalls,
  figureCalls,
  listFigureCalls,
  pipelineFigureCalls,
  badgeCalls,
  mapCalls,
  healthCalls,
  nodeCalls,
];

/** The dashboard: its pages at `/`, its private calls under `/dashboard/api/`. */
export function addDashboard(app: Hono<WebEnv>, dependencies: DashboardDependencies): void {
  const { accounts, vault, clock, passwords } = dependencies;
  const throttle = createThrottle(clock);
  const attempts = createLoginAttempts({ ...dependencies, throttle });
  const callAgain: CallAgain = async ({ request, client }, path) => {
    const headers = new Headers(request.headers);
    headers.set('Accept', 'application/json');
    const again = new Request(new URL(besideIn(request, path), request.url), {
      headers,
      signal: request.signal,
    });
    return app.fetch(again, { address: client.address, isFollowed: true });
  };
  const parts = {
    ...dependencies,
    ...withSearchLimit(dependencies),
    throttle,
    attempts,
    sessions: createSessions(accounts, clock, dependencies.cookiePrefixedSince),
    checkPassword: createPasswordCheck(accounts, passwords, attempts),
    secondFactors: createSecondFactors({ ...dependencies, attempts }),
    cursors: createCursors(vault),
    triedEvents: createTriedEvents(dependencies),
    callAgain,
  };

  addPages(app, dependencies.pages);
  app.use('/dashboard/*', privateHeaders);
  app.use('/dashboard/*', (context, next) => {
    dependencies.lookForProxy(context.req.raw);
    return next();
  });
  const calls = createCalls(app, parts);
  for (const define of subjects) define(calls, parts);
}
