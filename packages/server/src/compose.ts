import { type Clock, seconds, systemClock } from './core/clock.ts';
import { Problem } from './core/errors.ts';
import { requireSameKey } from './core/key-check.ts';
import type { StorageEngine } from './core/ports.ts';
import { createVault } from './core/vault.ts';
import { createActivityLog } from './ingest/activity.ts';
import { createDirectory } from './ingest/directory.ts';
import { createHttpIngest } from './ingest/http-ingest.ts';
import type { Limits } from './ingest/limits.ts';
import { createRateLimiter } from './ingest/rate.ts';
import { createWebhookIngress } from './ingest/webhook-ingress.ts';
import { createAppender } from './journal/append.ts';
import { serveHttp } from './runtime/http.ts';
import { keepSecretKey } from './runtime/secret-key.ts';
import type { Settings } from './settings.ts';
import { openStorage } from './storage/open.ts';
import { createLogger } from './telemetry/logger.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createApp } from './web/app.ts';
import { guardDoor } from './web/doors.ts';

export interface RunningService {
  readonly port: number;
  /** For tests, which look at what is stored. */
  readonly engine: StorageEngine;
  stop(): Promise<void>;
}

/** The wiring, in the order an event travels: storage, journal, doors, web. */
export async function startService(
  settings: Settings,
  options: { clock?: Clock; onFatal(reason: string): void },
): Promise<RunningService> {
  const clock = options.clock ?? systemClock;
  const logger = createLogger(settings.SLUICE_LOG_LEVEL);
  const directory = settings.SLUICE_DATA_DIR;
  const vault = createVault(settings.SLUICE_SECRET_KEY ?? keepSecretKey(directory));

  const engine = await openStorage({
    directory,
    databaseUrl: settings.SLUICE_DATABASE_URL,
    onFatal(reason) {
      logger.fatal(reason);
      options.onFatal(reason);
    },
  });
  const { storage } = engine;
  await requireSameKey(storage, vault).catch(async error => {
    await engine.close();
    throw error;
  });

  const appender = createAppender(storage, {
    commitsAtOnce: 2,
    onCommit: (events, ms) => metrics.committed(events, ms),
  });
  const metrics = createMetrics({ waiting: appender.waiting, version: '0.1.0' });

  const activity = createActivityLog(storage, clock);
  const callers = createDirectory({
    storage,
    vault,
    defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
    mayRemember: engine.hearsChanges,
  });
  engine.onConfigurationChanged(callers.forget);
  const rate = createRateLimiter(clock);
  const door = { directory: callers, activity, clock, limits: limitsOf(settings), accept: appender.accept };

  let stopping = false;
  const guard = { metrics, logger, isStopping: () => stopping };
  const app = createApp({ logger, metrics, checkReady: () => checkReady(engine, stopping) });
  const server = serveHttp(
    { port: settings.SLUICE_PORT, hostname: settings.SLUICE_HOST },
    {
      ingest: guardDoor('ingest', guard, createHttpIngest(door)),
      webhook: guardDoor('webhook', guard, createWebhookIngress(door, rate)),
      everythingElse: (request, peer) => app.fetch(request, peer),
    },
  );
  const ticking = setInterval(
    () => void activity.flush().catch(error => logger.warn({ err: error }, 'activity')),
    seconds(1),
  );

  return {
    port: server.port,
    engine,
    async stop() {
      stopping = true;
      clearInterval(ticking);
      const answered = server.stop();
      await Promise.race([answered, new Promise(resolve => setTimeout(resolve, seconds(5)))]);
      await server.cut();
      await appender.drained();
      await activity.flush();
      await engine.close();
    },
  };
}

async function checkReady(engine: StorageEngine, stopping: boolean): Promise<void> {
  if (stopping)
    throw new Problem('storage_unavailable', { message: 'This process is stopping.', retryAfter: 1 });
  await engine.checkWritable();
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
