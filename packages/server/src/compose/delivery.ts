import { availableParallelism } from 'node:os';
import { createDashboardLinks } from '../core/dashboard-links.ts';
import { createDatabaseThread } from '../delivery/databases/database-thread.ts';
import { createDeadLetterActions } from '../delivery/dead-letters/actions.ts';
import { createDestinationAdmin } from '../delivery/destination-admin.ts';
import type { GuardedClient } from '../delivery/guarded-client/client.ts';
import { createListeners } from '../delivery/listeners/access.ts';
import { createListenerConnections } from '../delivery/listeners/connections.ts';
import { createRenderingThread } from '../delivery/rendering/rendering-thread.ts';
import { createTemplateRenderer } from '../delivery/rendering/template-renderer.ts';
import { createSendingThreads } from '../delivery/sending/sending-threads.ts';
import { createLetterJobs } from '../delivery/work/letter-jobs.ts';
import { withDiscardSignal, withErasureSignal } from '../delivery/work/withdrawals.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../delivery/work/worker.ts';
import { createTraitReader } from '../entities/traits.ts';
import type { PipelineStage } from '../pipeline/stage.ts';
import { startThread } from '../runtime/thread.ts';
import type { Foundation } from './foundation.ts';
import type { Nodes } from './nodes.ts';
import type { StoragePart } from './storage.ts';
import type { TelemetryPart } from './telemetry.ts';

export type DeliveryPart = ReturnType<typeof composeDelivery>;

/** How events leave: the worker that sends them, destinations as people set them up, and dead letters. */
export function composeDelivery(
  foundation: Foundation,
  { engine }: StoragePart,
  telemetry: TelemetryPart,
  client: GuardedClient,
  nodes: Nodes,
  pipelines: Pick<PipelineStage, 'forget'>,
) {
  const { settings, clock, vault, deliveriesDue, isStopping } = foundation;
  const databases = createDatabaseThread({
    start: handlers => startThread(new URL('../database-thread.ts', import.meta.url), handlers),
    onError: foundation.warn('databases of destinations'),
  });
  const rendering = createRenderingThread({
    start: handlers => startThread(new URL('../rendering-thread.ts', import.meta.url), handlers),
    onError: foundation.warn('rendering'),
  });
  const threads = settings.SLUICE_SENDING_THREADS ?? sendingThreadsFor(availableParallelism());
  const sending =
    threads === 0
      ? null
      : createSendingThreads({
          threads,
          start: handlers => startThread(new URL('../sending-thread.ts', import.meta.url), handlers),
          settings: {
            allowAddresses: settings.SLUICE_ALLOW_ADDRESSES,
            allowHttp: settings.SLUICE_ALLOW_HTTP,
            egressAddresses: settings.SLUICE_EGRESS_ADDRESSES,
          },
          onError: foundation.warn('sending'),
        });
  const connections = createListenerConnections();
  const destinationAdmin = createDestinationAdmin(
    {
      client,
      clock,
      renderer: createTemplateRenderer(rendering),
      databases,
      listeners: connections,
      egressAddresses: settings.SLUICE_EGRESS_ADDRESSES,
    },
    vault,
  );
  const worker = settings.SLUICE_ROLES.includes('deliver')
    ? createDeliveryWorker({
        configuration: engine.configuration,
        deliveryQueue: engine.deliveryQueue,
        clock,
        random: Math.random,
        entities: createTraitReader(engine.entities),
        links: createDashboardLinks(settings.SLUICE_BASE_URL, engine.accounts),
        prepare: stored =>
          sending === null ? destinationAdmin.prepare(stored) : destinationAdmin.prepareOn(sending, stored),
        onDoubt: () => sending?.doubt(),
        nodes: () => nodes.withRole('deliver'),
        newToken: nodes.newToken,
        changeFeedIsLive: engine.changeFeedIsLive,
        ...countedBy(telemetry),
        onError: foundation.warn('delivery'),
      })
    : null;
  if (worker) {
    engine.onConfigurationChanged(worker.invalidate);
    deliveriesDue.on(worker.wake);
    nodes.addHolder(worker);
  }

  const listeners = createListeners({
    connections,
    configuration: engine.configuration,
    tokensOf: destinationAdmin.listenerTokens,
    newToken: nodes.newToken,
    delivers: worker !== null,
    clock,
    onConnected: deliveriesDue.raise,
    onError: foundation.warn('listeners'),
  });
  engine.onConfigurationChanged(listeners.invalidate);
  nodes.addHolder(listeners);

  const { jobs, configuration, journal } = engine;
  // What somebody withdraws may wait in a queue of the worker, which is notified before the call is answered.
  const recheck = (organisationId: string, deliveryIds?: readonly string[]) =>
    worker?.recheckClaims(organisationId, deliveryIds);
  const deliveryQueue = withDiscardSignal(engine.deliveryQueue, (organisationId, deliveryIds) => {
    telemetry.metrics.ended('cancelled', deliveryIds.length);
    recheck(organisationId, deliveryIds);
  });
  const onDeliveriesDue = deliveriesDue.raise;
  return {
    destinationAdmin,
    listeners,
    deliveryQueue,
    entities: withErasureSignal(engine.entities, (organisationId, { dropped, cancelled }) => {
      pipelines.forget(organisationId, dropped);
      for (const _ of dropped) telemetry.metrics.settled('dropped');
      telemetry.metrics.ended('cancelled', cancelled);
      recheck(organisationId);
    }),
    deadLetters: createDeadLetterActions({ deliveryQueue, journal, jobs, clock, onDeliveriesDue }),
    /** Null where another node delivers. */
    letterJobs: worker
      ? createLetterJobs({
          jobs,
          deliveryQueue,
          configuration,
          clock,
          newToken: nodes.newToken,
          onDeliveriesDue,
          onDiscarded: deliveries => telemetry.metrics.ended('cancelled', deliveries),
          isStopping,
        })
      : null,
    reserve: (...given: Parameters<DeliveryWorker['reserve']>) => worker?.reserve(...given) ?? null,
    start: () => worker?.start(),
    async stop() {
      await worker?.stop();
      sending?.stop();
      databases.stop();
      rendering.stop();
      client.close();
    },
  };
}

/** Two cores are busy with taking, running and storing events; threads that send pay where there are more. */
const sendingThreadsFor = (cores: number): number => Math.min(4, Math.floor((cores - 1) / 2));

const countedBy = ({ counts, lastErrors, metrics }: TelemetryPart) =>
  ({
    onWritten(delivery, { attempt, next }) {
      metrics.attempted(attempt.code ?? 'delivered');
      counts.attempted(delivery, next);
      lastErrors.attempted(delivery, attempt);
      if (next.state !== 'retrying') metrics.ended(next.state, 1);
    },
    onExpired(orgId, destinationId, deliveries) {
      counts.expired(orgId, destinationId, deliveries);
      metrics.ended('dead', deliveries);
    },
    onOrphansCancelled: deliveries => metrics.ended('cancelled', deliveries),
  }) satisfies Pick<
    Parameters<typeof createDeliveryWorker>[0],
    'onWritten' | 'onExpired' | 'onOrphansCancelled'
  >;
