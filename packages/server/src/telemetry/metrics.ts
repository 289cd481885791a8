import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the service counts of itself, read by Prometheus at `/metrics`. */
export interface Metrics {
  /** The doors only add to plain numbers; the registry reads them when it is asked. */
  answered(door: 'ingest' | 'webhook', status: number): void;
  committed(events: number, ms: number): void;
  /** `delivered`, or the code of the failure. */
  attempted(result: string): void;
  render(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(options: { waiting(): number; version: string }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const answers = new Map<string, number>();
  let events = 0;

  new Gauge({
    name: 'sluice_info',
    help: 'Always 1; its label tells the version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: options.version }, 1);
  new Counter({
    name: 'sluice_door_responses_total',
    help: 'Answers of the doors by status.',
    labelNames: ['door', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, count] of answers) {
        const [door = '', status = ''] = key.split(' ');
        this.inc({ door, status }, count);
      }
    },
  });
  new Counter({
    name: 'sluice_events_committed_total',
    help: 'Events that are on disk, duplicates included.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(events);
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
  const attempts = new Counter({
    name: 'sluice_delivery_attempts_total',
    help: 'Attempts to deliver, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  });
  const commits = new Histogram({
    name: 'sluice_commit_seconds',
    help: 'How long a commit of the journal takes, from the doors and back.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });

  return {
    answered(door, status) {
      const key = `${door} ${status}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
    },
    committed(count, ms) {
      events += count;
      commits.observe(ms / 1_000);
    },
    attempted: result => attempts.inc({ result }),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
