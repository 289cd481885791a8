import type { Clock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { type Browser, dataOf, listOf, setUp } from './dashboard.ts';
import { startTestService, type TestService } from './service.ts';
import { until } from './until.ts';

/** A service with one organisation whose events all come to one pipeline, and what a person sees of it. */
export interface Flow {
  readonly service: TestService;
  readonly browser: Browser;
  readonly orgId: string;
  destination(input: Record<string, unknown>): Promise<{ id: string; secret?: string }>;
  /** Everything that is sent goes there from now on. */
  routeTo(...destinations: { id: string; when?: string }[]): Promise<void>;
  /** Answers the event's id. */
  send(payload?: Record<string, unknown>, type?: string): Promise<string>;
  deliveries(query?: string): Promise<DeliveryRecord[]>;
  /** Waits until the only delivery of that event is in this state. */
  settled(eventId: string, state: string): Promise<DeliveryRecord>;
  stop(): Promise<void>;
}

export interface DeliveryRecord {
  readonly id: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempt: number;
  readonly code: string | null;
  readonly next_attempt_at: string | null;
  readonly destination: { readonly id: string; readonly name: string; readonly kind: string };
  readonly attempts: readonly {
    readonly n: number;
    readonly at: string;
    readonly status: number | null;
    readonly code: string | null;
    readonly message: string | null;
    readonly request: {
      readonly target: string;
      readonly headers: Record<string, string>;
      readonly body: string;
    };
    readonly response: string;
    readonly cut: boolean;
  }[];
}

const LOOPBACK = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };

export async function startFlow(
  options: {
    settings?: Record<string, string>;
    directory?: string;
    clock?: Clock;
    alertsEveryMs?: number;
  } = {},
): Promise<Flow> {
  const service = await startTestService({ ...options, settings: { ...LOOPBACK, ...options.settings } });
  const browser = await setUp(service);
  const session = dataOf<{ organisation: { id: string } }>(await browser.get('/session'));
  const { secret: apiKey } = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'flow' }));
  const { id: sourceId } = dataOf<{ id: string }>(
    await browser.post('/sources', { kind: 'sdk', name: 'Everything', match: '*' }),
  );
  const orgId = session.organisation.id;

  const flow: Flow = {
    service,
    browser,
    orgId,
    destination: async input => dataOf(await browser.post('/destinations', input)),
    async routeTo(...destinations) {
      const now = Date.now();
      const id = newId('pipe', now);
      const definition = { name: 'All', sources: [sourceId], steps: [], destinations };
      await service.engine.configuration.createPipeline(
        {
          id,
          orgId,
          name: 'All',
          enabled: true,
          version: 1,
          definition: JSON.stringify(definition),
          createdAt: now,
          updatedAt: now,
        },
        'test',
      );
    },
    async send(payload = {}, type = 'order.created') {
      const response = await fetch(`${service.url}/v1/ingest`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ events: [{ type, payload }] }),
      });
      const { data } = (await response.json()) as { data: { events: { id: string }[] } };
      return data.events[0]?.id ?? '';
    },
    deliveries: async (query = '') => listOf<DeliveryRecord>(await browser.get(`/deliveries?${query}`)).data,
    async settled(eventId, state) {
      let found: DeliveryRecord | undefined;
      await until(async () => {
        found = (await flow.deliveries(`event=${eventId}`)).find(delivery => delivery.state === state);
        return found !== undefined;
      }, `The delivery of ${eventId} did not become ${state}.`);
      return found as DeliveryRecord;
    },
    stop: () => service.stop(),
  };
  return flow;
}
