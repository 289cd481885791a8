import { Problem } from '../core/errors.ts';
import { createByteRoom } from '../core/http/byte-room.ts';
import type { OutgoingHttp } from '../core/http/outgoing.ts';
import { createActivityLog } from '../ingest/activity.ts';
import { createDirectory } from '../ingest/directory.ts';
import { createHttpIngest } from '../ingest/http-ingest.ts';
import { createHeaderKeeper, MOST_REFUSED_CHARACTERS } from '../ingest/kept-headers.ts';
import { secretHeaders } from '../ingest/providers/registry.ts';
import { createRateLimiter } from '../ingest/rate.ts';
import { createBodyThread } from '../ingest/reading/body-thread.ts';
import { createTextFetcher } from '../ingest/verification/fetch-text.ts';
import { createWebhookIngress } from '../ingest/webhook-ingress.ts';
import { createAppender } from '../journal/append.ts';
import type { PipelineStage } from '../pipeline/stage.ts';
import { startThread } from '../runtime/thread.ts';
import { addressOf, clientOf } from '../web/client.ts';
import { guardEndpoint } from '../web/endpoints.ts';
import type { Foundation } from './foundation.ts';
import { bodyRoomBytes, limitsOf } from './limits.ts';
import type { Nodes } from './nodes.ts';
import type { StoragePart } from './storage.ts';
import type { TelemetryPart } from './telemetry.ts';

export type EndpointsPart = ReturnType<typeof composeEndpoints>;

/** Where events come in: the two ingest endpoints, who may use them, and the journal behind them. */
export function composeEndpoints(
  { settings, clock, vault, logger, eventsDue, isStopping, warn }: Foundation,
  { engine }: StoragePart,
  { counts, metrics }: TelemetryPart,
  nodes: Nodes,
  client: OutgoingHttp,
  /** The pipelines, which come after. */
  pipelines: () => Pick<PipelineStage, 'reserve'>,
) {
  const appender = createAppender(engine.journal, {
    commitsAtOnce: 2,
    onStored: counts.received,
    onCommit: metrics.committed,
    reserve: requests => pipelines().reserve(requests),
    onWaiting: eventsDue.raise,
  });
  const activity = createActivityLog(engine.configuration, clock, counts.rejected);
  const directory = createDirectory({
    configuration: engine.configuration,
    accounts: engine.accounts,
    vault,
    ports: { fetchText: createTextFetcher(client) },
    defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
    mayCache: engine.changeFeedIsLive,
  });
  engine.onConfigurationChanged(directory.invalidate);
  const rate = createRateLimiter(clock);
  // Each node enforces its share of a source's rate.
  nodes.counted.on(() => rate.setNodes(nodes.withRole('ingest')));

  const limits = limitsOf(settings);
  const room = createByteRoom(bodyRoomBytes(settings));
  const bodyThread = createBodyThread({
    start: handlers => startThread(new URL('../body-thread.ts', import.meta.url), handlers),
    limits,
    onError: warn('large bodies'),
  });
  const ingest = { directory, activity, clock, limits, room, bodyThread, accept: appender.accept };
  const clientSettings = { trustProxy: settings.SLUICE_TRUST_PROXY, baseUrl: settings.SLUICE_BASE_URL };
  const takesEvents = settings.SLUICE_ROLES.includes('ingest');
  const guard = { metrics, logger, isStopping };
  const fromWebhook = createWebhookIngress({
    ...ingest,
    rate,
    keepHeaders: createHeaderKeeper(secretHeaders(), settings.SLUICE_DROP_HEADERS),
    keepRefusedHeaders: createHeaderKeeper(
      secretHeaders(),
      settings.SLUICE_DROP_HEADERS,
      MOST_REFUSED_CHARACTERS,
    ),
    senderOf: (request, peerOf) => clientOf(request, peerOf(request), clientSettings).address,
    findEventsOfKey: engine.journal.findEventsOfKey,
    addressOf: request => addressOf(request, clientSettings),
  });

  return {
    handlers: {
      ingest: guardEndpoint('ingest', guard, takesEvents ? createHttpIngest(ingest) : noIngest),
      webhook: takesEvents
        ? guardEndpoint('webhook', guard, fromWebhook.receive, fromWebhook.answerChallenge)
        : guardEndpoint('webhook', guard, noIngest),
    },
    appender,
    activity,
    directory,
    limits,
    room,
    bodyThread,
    async stop() {
      bodyThread.stop();
      await appender.drained();
      await activity.flush();
    },
  };
}

/** What answers at an ingest endpoint of a node whose roles leave out taking events. */
const noIngest = async (): Promise<Response> => {
  throw new Problem('not_found', {
    message: 'This node does not accept events: it does not have the role "ingest".',
  });
};
