import type { OutgoingHttp } from '../core/http/outgoing.ts';
import { createPipelineStage, type PipelineStage } from '../pipeline/stage.ts';
import { compileRoutes } from '../routing/match.ts';
import { startThread } from '../runtime/thread.ts';
import type { DeliveryPart } from './delivery.ts';
import type { EndpointsPart } from './endpoints.ts';
import type { Foundation } from './foundation.ts';
import type { Nodes } from './nodes.ts';
import type { StoragePart } from './storage.ts';
import type { TelemetryPart } from './telemetry.ts';

/**
 * How long the pipelines rest when no events are announced to them: where other nodes accept some too, and where not.
 */
const SHARED_POLL_MS = 250;
const OWN_POLL_MS = 5_000;

/** What events go through after the journal: their pipelines, and the rules of where they go then. */
export function composePipelines(
  { settings, clock, vault, secretKeys, eventsDue, deliveriesDue, isStopping, warn }: Foundation,
  { engine }: StoragePart,
  { counts, metrics }: TelemetryPart,
  { appender, activity }: EndpointsPart,
  client: OutgoingHttp,
  nodes: Nodes,
  /** The deliveries, which come after. */
  delivery: () => Pick<DeliveryPart, 'reserve'>,
): PipelineStage {
  const { isShared, appendIsVisible } = engine.capabilities;
  const pipelines = createPipelineStage({
    configuration: engine.configuration,
    eventQueue: engine.eventQueue,
    jobs: engine.jobs,
    journal: engine.journal,
    clock,
    vault,
    secretKey: secretKeys.present,
    client,
    compileRoutes,
    readTraits: async (orgId, entity) => (await engine.entities.findTraits(orgId, [entity]))[0] ?? null,
    startThread: handlers => startThread(new URL('../pipeline-thread.ts', import.meta.url), handlers),
    newToken: nodes.newToken,
    pollMs: isShared || appendIsVisible === 'soon' ? SHARED_POLL_MS : OWN_POLL_MS,
    works: settings.SLUICE_ROLES.includes('process'),
    mayCache: engine.changeFeedIsLive,
    isStopping,
    mustGiveWay: appender.isCrowded,
    reserveDeliveries: (settling, at) => delivery().reserve(settling, at),
    onDeliveries: deliveriesDue.raise,
    onSettled(settlement, result, sourceIds, at) {
      counts.settled(settlement, result, sourceIds, at);
      if (result.state !== null && result.before === undefined) metrics.settled(result.state);
      if (result.replayed !== undefined) metrics.ended('cancelled', result.replayed);
      if (settlement.round !== 'first') return;
      for (const { id } of settlement.matchedSources ?? []) activity.sourceSeen(id);
    },
    onError: warn('pipelines'),
  });
  engine.onConfigurationChanged(pipelines.invalidate);
  eventsDue.on(pipelines.wake);
  nodes.addHolder(pipelines);
  return pipelines;
}
