import { seconds } from '../core/clock.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { within } from '../core/work/within.ts';
import { createGuardedClient } from '../delivery/guarded-client/client.ts';
import type { PipelineStage } from '../pipeline/stage.ts';
import { openFetchSession } from '../runtime/fetch-session.ts';
import { type HttpServer, serveHttp } from '../runtime/http.ts';
import type { Settings } from '../settings.ts';
import { composeAlerts } from './alerts.ts';
import { composeDelivery, type DeliveryPart } from './delivery.ts';
import { composeEndpoints } from './endpoints.ts';
import { type Foundation, type FoundationOptions, layFoundation } from './foundation.ts';
import { shareHints } from './hints.ts';
import { composeLocal } from './local.ts';
import { createNodes, type Nodes } from './nodes.ts';
import { type Part, stopAll } from './part.ts';
import { composePipelines } from './pipelines.ts';
import { openStoragePart, type StoragePart } from './storage.ts';
import { composeTelemetry } from './telemetry.ts';
import { composeUpkeep } from './upkeep.ts';
import { composeWeb } from './web.ts';

export interface RunningService {
  readonly port: number;
  /** For tests, which look at what is stored. */
  readonly engine: StorageEngine;
  /** The one-time code that opens the set-up; null when there is a user. */
  readonly setupCode: string | null;
  /** Goes on serving, and says that it is about to stop: to whoever asks for its readiness, and on every connection. */
  drain(): void;
  stop(): Promise<void>;
}

/** Senders have this long to finish what they began to send. */
const LAST_REQUESTS_MS = seconds(5);

/** The service: opens storage, builds every part, listens, and starts the workers. */
export async function startService(
  settings: Settings,
  options: Partial<FoundationOptions> & { onFatal(reason: string): void },
): Promise<RunningService> {
  const foundation = layFoundation(settings, options);
  const storage = await openStoragePart(foundation, options.onFatal);
  try {
    return await compose(foundation, storage);
  } catch (error) {
    await storage.stop();
    throw error;
  }
}

/**
 * The parts of the service in the order an event travels. All are built before it listens, and none starts before it
 * does: a start that fails, be it for a port that is taken, leaves nothing claimed behind.
 */
async function compose(foundation: Foundation, storage: StoragePart): Promise<RunningService> {
  const { settings } = foundation;
  const client = createGuardedClient({
    allowAddresses: settings.SLUICE_ALLOW_ADDRESSES,
    allowHttp: settings.SLUICE_ALLOW_HTTP,
    clock: foundation.clock,
    openSession: openFetchSession,
  });

  const telemetry = composeTelemetry(
    foundation,
    storage,
    () => endpoints.appender.waiting(),
    () => nodes.self().id,
  );
  const nodes: Nodes = createNodes(foundation, storage, telemetry);
  const endpoints = composeEndpoints(foundation, storage, telemetry, nodes, client, () => pipelines);
  const pipelines: PipelineStage = composePipelines(
    foundation,
    storage,
    telemetry,
    endpoints,
    client,
    nodes,
    () => delivery,
  );
  const delivery: DeliveryPart = composeDelivery(foundation, storage, telemetry, client, nodes, pipelines);
  const parts = { telemetry, endpoints, pipelines, delivery, nodes };
  const web = await composeWeb(foundation, storage, parts);
  const upkeep = composeUpkeep(foundation, storage, parts);
  const alerts = composeAlerts(foundation, storage, parts);
  const local = composeLocal(foundation, storage);
  shareHints(foundation, storage.engine);

  const server = serveHttp(
    { port: settings.SLUICE_PORT, hostname: settings.SLUICE_HOST, isLeaving: foundation.isDraining },
    { ...endpoints.handlers, everythingElse: (request, peer) => web.app.fetch(request, peer) },
  );
  for (const part of [nodes, pipelines, delivery, upkeep, alerts, local] satisfies Part[]) part.start();

  return {
    port: server.port,
    engine: storage.engine,
    setupCode: web.setupCode,
    drain: foundation.beginDrain,
    async stop() {
      foundation.beginStop();
      storage.live.close();
      delivery.listeners.close();
      const warn = foundation.warn('stop');
      const intake = {
        stop: () => stopAll([[stopping(server), local], [upkeep, alerts], [pipelines]], warn),
      };
      // Receivers may hang as senders may: both are waited for at once. What was counted is written by a node that lives.
      await stopAll([[intake, delivery], [endpoints, web], [telemetry], [nodes], [storage]], warn);
    },
  };
}

/** Answers what was accepted, and cuts off whoever does not come to an end. */
const stopping = (server: HttpServer): Pick<Part, 'stop'> => ({
  async stop() {
    await within(server.stop(), LAST_REQUESTS_MS);
    await server.cut();
  },
});
