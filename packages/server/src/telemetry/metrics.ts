import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type EventState, eventStates } from '../core/event/event.ts';
import type { Waiting } from '../core/stores/counters.ts';
import type { NodeRates } from '../core/stores/upkeep.ts';
import { MOST_WAITING_COUNTED } from './waiting.ts';

/** What the service counts of itself, read by Prometheus at `/metrics`. */
export interface Metrics {
  /** The ingest endpoints only add to plain numbers; the registry reads them when it is scraped. */
  answered(endpoint: 'ingest' | 'webhook', status: number): void;
  /** A commit of the journal has ended, and stored so many new events. */
  committed(stored: number, ms: number): void;
  /** An attempt is on disk: `delivered`, or the code of the failure. */
  attempted(result: string): void;
  /** An event came out of its pipelines for the first time. */
  settled(state: EventState): void;
  /** So many deliveries came to an end. One that is retried, discarded or replayed after it died comes to another. */
  ended(state: EndState, deliveries: number): void;
  /** This node found another one silent, and declared it dead. */
  nodeDied(): void;
  /** This node was declared dead itself, and joined again. */
  rejoined(): void;
  /** What this node has done since it started. */
  totals(): NodeRates;
  render(): Promise<string>;
  readonly contentType: string;
}

type EndState = 'delivered' | 'dead' | 'cancelled';

export function createMetrics(options: {
  /** Requests that wait for a commit. */
  waiting(): number;
  /** What waits in storage; null while that is not known. */
  countWaiting(): Promise<Waiting | null>;
  readonly version: string;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  const answers = new Map<string, number>();
  let stored = 0;

  new Gauge({
    name: 'sluice_info',
    help: 'Always 1; its label tells the version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: options.version }, 1);
  new Counter({
    name: 'sluice_door_responses_total',
    help: 'Answers of the ingest endpoints by status.',
    labelNames: ['door', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, count] of answers) {
        const [endpoint = '', status = ''] = key.split(' ');
        this.inc({ door: endpoint, status }, count);
      }
    },
  });
  new Counter({
    name: 'sluice_events_committed_total',
    help: 'Events that were stored here; neither duplicates nor refused ones.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(stored);
    },
  });
  new Gauge({
    name: 'sluice_append_waiting',
    help: 'Requests waiting for a commit.',
    registers: [registry],
    collect() {
      this.set(options.waiting());
    },
  });
  const settled = { processed: 0, dropped: 0, unrouted: 0, failed: 0, accepted: 0 };
  new Counter({
    name: 'sluice_events_settled_total',
    help: 'Events that came out of their pipelines here, by the state that they were in then; replays are not counted.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const state of SETTLED) this.inc({ state }, settled[state]);
    },
  });
  const ended: Record<EndState, number> = { delivered: 0, dead: 0, cancelled: 0 };
  new Counter({
    name: 'sluice_deliveries_ended_total',
    help: 'Deliveries that came to an end here, by how; again after each retry, discard or replay.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [state, deliveries] of Object.entries(ended)) this.inc({ state }, deliveries);
    },
  });
  addWaiting(registry, options.countWaiting);
  const attempts = new Counter({
    name: 'sluice_delivery_attempts_total',
    help: 'Attempts to deliver that were recorded, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  });
  const deadNodes = new Counter({
    name: 'sluice_nodes_declared_dead_total',
    help: 'Nodes that this one found silent for too long, and declared dead.',
    registers: [registry],
  });
  const rejoins = new Counter({
    name: 'sluice_node_rejoins_total',
    help: 'How often this node was declared dead itself, dropped its claims and joined again.',
    registers: [registry],
  });
  const commits = new Histogram({
    name: 'sluice_commit_seconds',
    help: 'How long a commit of the journal takes, from the ingest endpoints and back.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });

  return {
    answered(endpoint, status) {
      const key = `${endpoint} ${status}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
    },
    committed(count, ms) {
      stored += count;
      commits.observe(ms / 1_000);
    },
    attempted: result => attempts.inc({ result }),
    settled(state) {
      settled[state]++;
    },
    ended(state, deliveries) {
      ended[state] += deliveries;
    },
    nodeDied: () => deadNodes.inc(),
    rejoined: () => rejoins.inc(),
    totals: () => ({
      accepted: stored,
      processed: SETTLED.reduce((sum, state) => sum + settled[state], 0),
      delivered: ended.delivered,
    }),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Measuring how late the event loop is wakes it each time: every 10 ms, as by default, half of what idling costs. */
const LAG_EVERY_MS = 1_000;

/** What an event is once it came out of its pipelines. */
const SETTLED = eventStates.filter(state => state !== 'accepted');

/** Looked up at each scrape. What is not known is left out, so that no false 0 looks like good news. */
function addWaiting(registry: Registry, countWaiting: () => Promise<Waiting | null>): void {
  const add = (
    name: string,
    help: string,
    label: string | null,
    of: (counts: Waiting) => [string, number][],
  ) =>
    new Gauge({
      name,
      help: `${help} Of the whole installation, counted up to ${MOST_WAITING_COUNTED}.`,
      labelNames: label === null ? [] : [label],
      registers: [registry],
      async collect() {
        const counts = await countWaiting();
        // A reset would set a gauge without labels to 0.
        if (label === null) this.remove();
        else this.reset();
        if (counts === null) return;
        for (const [value, count] of of(counts)) this.set(label === null ? {} : { [label]: value }, count);
      },
    });
  add('sluice_events_waiting', 'Events that wait for their pipelines.', null, ({ events }) => [['', events]]);
  add('sluice_deliveries_open', 'Deliveries that have not ended, by state.', 'state', ({ deliveries }) =>
    Object.entries(deliveries),
  );
  add('sluice_dead_letters', 'Dead letters, by kind.', 'kind', ({ deadDeliveries, failedEvents }) => [
    ['delivery', deadDeliveries],
    ['event', failedEvents],
  ]);
}
