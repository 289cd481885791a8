import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, minutes, seconds, systemClock } from './core/clock.ts';
import { Problem } from './core/errors.ts';
import type { EntityRef } from './core/event/scope.ts';
import { createByteRoom } from './core/http/byte-room.ts';
import { requireSameKey } from './core/secrets/key-check.ts';
import { createVault } from './core/secrets/vault.ts';
import type { StorageEngine } from './core/stores/storage.ts';
import { VERSION } from './core/version.ts';
import { repeat } from './core/work/repeat.ts';
import { createDeadLetterActions } from './delivery/dead-letters/actions.ts';
import { createDestinationAdmin } from './delivery/destination-admin.ts';
import { createGuardedClient } from './delivery/guarded-client/client.ts';
import { createTemplateRenderer } from './delivery/rendering/template-renderer.ts';
import { createRetryJobs } from './delivery/work/retry-job.ts';
import { withWithdrawalSignal } from './delivery/work/withdrawals.ts';
import { createDeliveryWorker } from './delivery/work/worker.ts';
import { createEntityActions } from './entities/actions.ts';
import { createIndexUpkeep } from './entities/search-index.ts';
import { createTraitReader } from './entities/traits.ts';
import { createActivityLog } from './ingest/activity.ts';
import { authenticateKey } from './ingest/authenticate.ts';
import { createDirectory } from './ingest/directory.ts';
import { createHttpIngest } from './ingest/http-ingest.ts';
import type { Limits } from './ingest/limits.ts';
import { createRateLimiter } from './ingest/rate.ts';
import { createWebhookIngress } from './ingest/webhook-ingress.ts';
import { createAppender } from './journal/append.ts';
import { createRemoval } from './journal/deleted-organisations.ts';
import { createRetention } from './journal/retention.ts';
import { createPipelineStage } from './pipeline/stage.ts';
import type { FromThread } from './pipeline/thread/protocol.ts';
import { compileRoutes } from './routing/match.ts';
import { openFetchSession } from './runtime/fetch-session.ts';
import { serveHttp } from './runtime/http.ts';
import { hashPassword, isPassword } from './runtime/password.ts';
import { keepSecretKey } from './runtime/secret-key.ts';
import { startThread } from './runtime/thread.ts';
import type { Settings } from './settings.ts';
import { openStorage } from './storage/open.ts';
import { createCountKeeper } from './telemetry/counters.ts';
import { createLiveFeed, withLiveNotifications } from './telemetry/live-feed.ts';
import { createLogger } from './telemetry/logger.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createWaitingCounts } from './telemetry/waiting.ts';
import { addReference } from './web/api-docs.ts';
import { createApp } from './web/app.ts';
import { type FirstUser, prepareFirstUser } from './web/dashboard/access/first-user.ts';
import { addDashboard, type DashboardDependencies } from './web/dashboard/routes.ts';
import { guardEndpoint } from './web/endpoints.ts';
import type { AddRoutes } from './web/env.ts';
import { createCursors } from './web/paging.ts';
import { addEntities } from './web/public/entities.ts';

export interface RunningService {
  readonly port: number;
  /** For tests, which look at what is stored. */
  readonly engine: StorageEngine;
  /** The one-time code that opens the set-up; null when there is a user. */
  readonly setupCode: string | null;
  stop(): Promise<void>;
}

/** So many of the largest bodies may be coming in at a time. */
const LARGE_BODIES_AT_ONCE = 16;

/** Between two slices of what is forgotten, or indexed anew. */
const pauseBriefly = () => new Promise<void>(resolve => setTimeout(resolve, 20));

/** How long the pipelines rest when nobody tells them of events: where other nodes accept some too, and where not. */
const SHARED_POLL_MS = 250;
const OWN_POLL_MS = 1_000;
/** Between two looks for replays that somebody asked for. */
const REPLAY_EVERY_MS = 200;

/** The wiring, in the order an event travels: storage, journal, ingest, web. */
export async function startService(
  settings: Settings,
  options: { clock?: Clock; onFatal(reason: string): void },
): Promise<RunningService> {
  const clock = options.clock ?? systemClock;
  const logger = createLogger(settings.SLUICE_LOG_LEVEL);
  const directory = settings.SLUICE_DATA_DIR;
  const secretKey = settings.SLUICE_SECRET_KEY ?? keepSecretKey(directory);
  const vault = createVault(secretKey);
  // One embedded database has one process: it is the same node after every start.
  const nodeId = settings.SLUICE_DATABASE_URL ? randomUUID() : 'this';

  const engine = await openStorage({
    directory,
    databaseUrl: settings.SLUICE_DATABASE_URL,
    onFatal(reason) {
      logger.fatal(reason);
      options.onFatal(reason);
    },
  });
  const live = createLiveFeed();
  const storage = withLiveNotifications(engine.storage, live.note);
  await requireSameKey(storage, vault).catch(async error => {
    await engine.close();
    throw error;
  });

  const counts = createCountKeeper(storage, clock);
  const appender = createAppender(storage, {
    commitsAtOnce: 2,
    onStored: counts.received,
    onCommit(events, ms) {
      metrics.committed(events, ms);
      pipelines.wake();
    },
  });
  const metrics = createMetrics({
    waiting: appender.waiting,
    countWaiting: createWaitingCounts(storage, clock),
    version: VERSION,
  });

  const activity = createActivityLog(storage, clock);
  const callers = createDirectory({
    storage,
    vault,
    defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
    mayCache: engine.changeFeedIsLive,
  });
  engine.onConfigurationChanged(() => callers.invalidate(null));
  const rate = createRateLimiter(clock);
  const limits = limitsOf(settings);
  const bodyRoom = () => createByteRoom(LARGE_BODIES_AT_ONCE * limits.bodyBytes);
  const ingest = { directory: callers, activity, clock, limits, room: bodyRoom(), accept: appender.accept };

  const client = createGuardedClient({
    allowAddresses: settings.SLUICE_ALLOW_ADDRESSES,
    allowHttp: settings.SLUICE_ALLOW_HTTP,
    clock,
    openSession: openFetchSession,
  });
  const destinationAdmin = createDestinationAdmin(
    { client, clock, renderer: createTemplateRenderer(), egressAddresses: settings.SLUICE_EGRESS_ADDRESSES },
    vault,
  );
  const readTraits = async (orgId: string, entity: EntityRef) =>
    (await storage.findTraits(orgId, [entity]))[0] ?? null;
  let alive: readonly string[][] = [[...settings.SLUICE_ROLES]];
  const nodesThat = (role: string) => Math.max(1, alive.filter(roles => roles.includes(role)).length);
  const delivery = settings.SLUICE_ROLES.includes('deliver')
    ? createDeliveryWorker({
        storage,
        clock,
        random: Math.random,
        entities: createTraitReader(storage),
        prepare: destinationAdmin.prepare,
        nodes: () => nodesThat('deliver'),
        isOnlyNode: settings.SLUICE_DATABASE_URL === undefined,
        changeFeedIsLive: engine.changeFeedIsLive,
        onAttempt: result => metrics.attempted(result.outcome === 'delivered' ? 'delivered' : result.code),
        onWritten(delivery, next) {
          counts.attempted(delivery, next);
          if (next.state !== 'retrying') metrics.ended(next.state, 1);
        },
        onExpired(orgId, destinationId, deliveries) {
          counts.expired(orgId, destinationId, deliveries);
          metrics.ended('dead', deliveries);
        },
        onError: error => logger.warn({ err: error }, 'delivery'),
      })
    : null;
  delivery?.start();
  if (delivery) engine.onConfigurationChanged(() => delivery.invalidate(null));
  const onDeliveriesDue = () => delivery?.wake();
  const retryJobs = createRetryJobs({ storage, clock, onDeliveriesDue, isStopping: () => stopping });

  const processes = settings.SLUICE_ROLES.includes('process');
  const pipelines = createPipelineStage({
    storage,
    clock,
    vault,
    secretKey,
    client,
    compileRoutes: destinations => compileRoutes(destinations),
    readTraits,
    startThread: handlers =>
      startThread(new URL('./pipeline-thread.ts', import.meta.url), {
        onMessage: message => handlers.onMessage(message as FromThread),
        onFailure: handlers.onFailure,
      }),
    nodeId,
    isOnlyNode: settings.SLUICE_DATABASE_URL === undefined,
    pollMs: settings.SLUICE_DATABASE_URL ? SHARED_POLL_MS : OWN_POLL_MS,
    works: processes,
    mayCache: engine.changeFeedIsLive,
    mustGiveWay: appender.isCrowded,
    onDeliveries: onDeliveriesDue,
    onSettled(settlement, result, sourceIds) {
      counts.settled(settlement, result, sourceIds);
      if (settlement.jobId === null && result.state !== null) metrics.settled(result.state);
      if (settlement.round !== 'first') return;
      for (const { id } of settlement.matchedSources ?? []) activity.sourceSeen(id);
    },
    onError: error => logger.warn({ err: error }, 'pipelines'),
  });
  pipelines.start();
  engine.onConfigurationChanged(() => pipelines.invalidate(null));

  const withdrawing = withWithdrawalSignal(storage, (...withdrawn) => delivery?.recheckClaims(...withdrawn));
  const entityActions = createEntityActions(withdrawing, clock);
  const index = createIndexUpkeep({ storage, clock, pause: pauseBriefly, isStopping: () => stopping });
  engine.onConfigurationChanged(index.notice);

  let stopping = false;
  const warn = (what: string) => (error: unknown) => logger.warn({ err: error }, what);
  const guard = { metrics, logger, isStopping: () => stopping };
  const passwords = { hash: hashPassword, matches: isPassword };
  const firstUser = await prepareFirstUser(storage, { vault, clock, passwords });
  await makeAdmin(firstUser, settings);
  const checkReady = createReadiness(engine, () => stopping);
  const dashboard: DashboardDependencies = {
    storage: withdrawing,
    vault,
    clock,
    passwords,
    firstUser,
    destinationAdmin,
    deadLetters: createDeadLetterActions({ storage, clock, onDeliveriesDue }),
    pipelineAdmin: pipelines.admin,
    onDeliveriesDue,
    entityActions,
    live,
    health: {
      version: VERSION,
      startedAt: clock.now(),
      roles: settings.SLUICE_ROLES,
      nodes: () => alive.length,
      measure: engine.measure,
      checkWritable: checkReady,
    },
    limits,
    // Anybody may send a login: what is held back there takes no room from the ingest endpoints.
    room: bodyRoom(),
    client: { trustProxy: settings.SLUICE_TRUST_PROXY, baseUrl: settings.SLUICE_BASE_URL },
    defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
    pagesFrom: join(import.meta.dirname, '../../dashboard/dist'),
  };
  const servesDashboard = settings.SLUICE_ROLES.includes('dashboard');
  const setupCode = servesDashboard && (await firstUser.isWanted()) ? firstUser.code : null;
  const reference = { limits, version: VERSION, client: dashboard.client };
  const entities = {
    storage,
    clock,
    actions: entityActions,
    cursors: createCursors(vault),
    limits,
    room: ingest.room,
    async authenticate(request: Request) {
      const key = await authenticateKey(request, callers);
      activity.keyUsed(key.id);
      return key;
    },
  };
  const parts: AddRoutes[] = [app => addReference(app, reference), app => addEntities(app, entities)];
  if (servesDashboard) parts.push(app => addDashboard(app, dashboard));
  const app = createApp({ logger, metrics, checkReady, parts });
  const takesEvents = settings.SLUICE_ROLES.includes('ingest');
  const server = serveHttp(
    { port: settings.SLUICE_PORT, hostname: settings.SLUICE_HOST },
    {
      ingest: guardEndpoint('ingest', guard, takesEvents ? createHttpIngest(ingest) : noIngest),
      webhook: guardEndpoint(
        'webhook',
        guard,
        takesEvents ? createWebhookIngress(ingest, rate, storage.findEventsOfKey) : noIngest,
      ),
      everythingElse: (request, peer) => app.fetch(request, peer),
    },
  );
  const retention = createRetention({
    storage,
    clock,
    defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
    deadLetterDays: settings.SLUICE_DEAD_LETTER_DAYS,
    pause: pauseBriefly,
    isStopping: () => stopping,
    onError: warn('retention'),
  });
  const removal = createRemoval({ storage, clock, pause: pauseBriefly, isStopping: () => stopping });
  const countNodes = async () => {
    alive = await storage.heartbeat({ id: nodeId, roles: settings.SLUICE_ROLES }, clock.now());
    rate.setNodes(nodesThat('ingest'));
  };
  const stopTicking = [
    repeat(seconds(1), activity.flush, warn('activity')),
    repeat(seconds(1), counts.flush, warn('counters')),
    repeat(seconds(1), pipelines.flush, warn('labels')),
    repeat(seconds(5), countNodes, warn('heartbeat')),
    repeat(minutes(10), retention, warn('retention')),
    repeat(seconds(5), removal, warn('deleted organisations')),
    repeat(seconds(1), index.work, warn('search index')),
    ...(processes ? [repeat(REPLAY_EVERY_MS, pipelines.replay, warn('replays'))] : []),
    ...(delivery ? [repeat(seconds(1), retryJobs, warn('dead letters'))] : []),
  ];

  return {
    port: server.port,
    engine,
    setupCode,
    async stop() {
      stopping = true;
      live.close();
      // Receivers may hang as senders may: both are waited for at once.
      const delivered = delivery?.stop();
      const answered = server.stop();
      await Promise.race([answered, new Promise(resolve => setTimeout(resolve, seconds(5)))]);
      await server.cut();
      await Promise.all(stopTicking.map(stop => stop()));
      await pipelines.stop();
      await delivered;
      client.close();
      await appender.drained();
      await activity.flush();
      await counts.flush().catch(warn('counters'));
      await storage.leave(nodeId).catch(warn('heartbeat'));
      await engine.close();
    },
  };
}

/** The first user without the set-up page. Once there is a user, the settings are left alone. */
async function makeAdmin(firstUser: FirstUser, settings: Settings): Promise<void> {
  const { SLUICE_ADMIN_EMAIL: email, SLUICE_ADMIN_PASSWORD: password } = settings;
  if (email === undefined || password === undefined || !(await firstUser.isWanted())) return;
  await firstUser.make({ organisation: 'My organisation', email, password });
}

/** What answers at an ingest endpoint of a node whose roles leave out taking events. */
const noIngest = async (): Promise<Response> => {
  throw new Problem('not_found', { message: 'This node takes no events: its roles leave that to others.' });
};

/** Whoever asks while somebody looks shares that look: each is a write, and anybody may ask. */
function createReadiness(engine: StorageEngine, isStopping: () => boolean): () => Promise<void> {
  let look: Promise<void> | null = null;
  return () => {
    if (isStopping())
      throw new Problem('storage_unavailable', { message: 'This process is stopping.', retryAfter: 1 });
    look ??= engine.checkWritable().finally(() => {
      look = null;
    });
    return look;
  };
}

const limitsOf = (settings: Settings): Limits => ({
  bodyBytes: settings.SLUICE_MAX_BODY_BYTES,
  eventBytes: settings.SLUICE_MAX_EVENT_BYTES,
  batchEvents: settings.SLUICE_MAX_BATCH_EVENTS,
  nesting: settings.SLUICE_MAX_NESTING,
  typeLength: settings.SLUICE_MAX_TYPE_LENGTH,
  iconLength: settings.SLUICE_MAX_ICON_LENGTH,
  idempotencyKeyLength: settings.SLUICE_MAX_IDEMPOTENCY_KEY_LENGTH,
});
