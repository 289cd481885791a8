import { rmSync } from 'node:fs';
import type { EntityReader } from '../../src/core/entities/reader.ts';
import type { AttemptResult } from '../../src/core/http/attempt.ts';
import type { StoredDestination } from '../../src/core/stores/configuration/destinations.ts';
import type { DeliveryState, StoredDelivery } from '../../src/core/stores/delivery.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import type { Destination, OutgoingDelivery } from '../../src/delivery/destination.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../../src/delivery/work/worker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { aDestination, routedTo } from '../contract/storage/delivery-samples.ts';
import { NOW, storedOrganisation } from '../contract/storage/samples.ts';
import { emptyFile } from './empty-file.ts';
import { type EveryStore, everyStore } from './every-store.ts';
import { temporaryDirectory } from './service.ts';

/** A delivery worker on a real database, with a clock to move and receivers that do as they are told. */
export interface WorkerBench {
  readonly storage: EveryStore;
  readonly clock: { now(): number; time: number };
  /** What was sent, in order. */
  readonly sent: OutgoingDelivery[];
  readonly errors: unknown[];
  organisation(): Promise<string>;
  destination(
    orgId: string,
    policy?: Partial<StoredDestination['policy']>,
    config?: string,
  ): Promise<StoredDestination>;
  /** So many deliveries to that destination, due at once. */
  deliver(destination: StoredDestination, count?: number, payload?: string): Promise<void>;
  start(behaviour: Partial<Behaviour>): DeliveryWorker;
  /** A worker that is not started yet. */
  create(behaviour: Partial<Behaviour>): DeliveryWorker;
  states(orgId: string): Promise<Partial<Record<DeliveryState, number>>>;
  list(orgId: string): Promise<StoredDelivery[]>;
  /** Stops the workers and leaves all as it was when the bench was opened. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface Behaviour {
  /** What becomes of what is sent to this destination. */
  send(delivery: OutgoingDelivery, to: StoredDestination): Promise<AttemptResult>;
  prepare(destination: StoredDestination): Destination;
  readTraits: EntityReader['readTraits'];
  storage: Partial<EveryStore>;
  newToken(): string | null;
  changeFeedIsLive(): boolean;
}

const facts = {
  request: { target: 'POST https://example.com', headers: {}, body: '' },
  response: '',
  durationMs: 1,
};
export const delivered: AttemptResult = { outcome: 'delivered', status: 200, ...facts };
export const failed: AttemptResult = {
  outcome: 'failed',
  code: 'bad_status',
  message: 'It answered 500.',
  retryAfterMs: null,
  status: 500,
  ...facts,
};
export const never = (): Promise<AttemptResult> => new Promise(() => {});

export async function openWorkerBench(): Promise<WorkerBench> {
  const directory = temporaryDirectory();
  const engine: StorageEngine = await openStorage({
    directory,
    databaseUrl: undefined,
    onFatal: reason => {
      throw new Error(reason);
    },
  });
  const storage = everyStore(engine);
  const clock = { time: NOW, now: () => clock.time };
  const sent: OutgoingDelivery[] = [];
  const errors: unknown[] = [];
  const workers: DeliveryWorker[] = [];
  let tokens = 0;
  const stopWorkers = () => Promise.all(workers.splice(0).map(worker => worker.stop()));
  const list = (orgId: string) => storage.listDeliveries(orgId, {}, { limit: 10_000, below: null });
  function create(behaviour: Partial<Behaviour>): DeliveryWorker {
    const send = behaviour.send ?? (async () => delivered);
    const worker = createDeliveryWorker({
      configuration: { ...storage, ...behaviour.storage },
      deliveryQueue: { ...storage, ...behaviour.storage },
      clock,
      random: () => 0.5,
      entities: { readTraits: behaviour.readTraits ?? (async () => null) },
      links: { to: () => null },
      prepare:
        behaviour.prepare ??
        (destination => ({
          readsTraits: false,
          send(delivery) {
            sent.push(delivery);
            return send(delivery, destination);
          },
        })),
      nodes: () => 1,
      newToken: behaviour.newToken ?? (() => `node ${tokens++}`),
      changeFeedIsLive: behaviour.changeFeedIsLive ?? (() => true),
      onError: error => void errors.push(error),
    });
    engine.onConfigurationChanged(worker.invalidate);
    workers.push(worker);
    return worker;
  }

  return {
    storage,
    clock,
    sent,
    errors,
    list,
    create,
    organisation: () => storedOrganisation(storage),
    async destination(orgId, policy = {}, config = '{}') {
      const sample = aDestination(orgId);
      const destination = { ...sample, config, policy: { ...sample.policy, ...policy } };
      await storage.createDestination(destination);
      return destination;
    },
    async deliver({ orgId, id }, count = 1, payload = '{"n":1}') {
      await routedTo(storage, orgId, [id], { at: clock.time, payload, count });
    },
    start(behaviour) {
      const worker = create(behaviour);
      worker.start();
      return worker;
    },
    async states(orgId) {
      const counts: Partial<Record<DeliveryState, number>> = {};
      for (const { state } of await list(orgId)) counts[state] = (counts[state] ?? 0) + 1;
      return counts;
    },
    async reset() {
      await stopWorkers();
      emptyFile(directory);
      clock.time = NOW;
      sent.length = 0;
      errors.length = 0;
    },
    async close() {
      await stopWorkers();
      await engine.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
