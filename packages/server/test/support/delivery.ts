import { type Kind, readConfig } from '../../src/core/kinds/kind.ts';
import { createDatabaseThread, type DatabaseThread } from '../../src/delivery/databases/database-thread.ts';
import type {
  Destination,
  DestinationDeps,
  DestinationKind,
  OutgoingDelivery,
} from '../../src/delivery/destination.ts';
import type { GuardedClient } from '../../src/delivery/guarded-client/client.ts';
import { createListenerConnections } from '../../src/delivery/listeners/connections.ts';
import { createRenderingThread } from '../../src/delivery/rendering/rendering-thread.ts';
import { createTemplateRenderer } from '../../src/delivery/rendering/template-renderer.ts';
import { startThread } from '../../src/runtime/thread.ts';
import { guardedClient } from './guarded-client.ts';

/** An event as a pipeline leaves it, with everything in it that a hostile sender would put there. */
export const HOSTILE_PAYLOAD = {
  id: 9007199254740993n,
  customer: { email: 'ada@example.com', name: '<script>alert(1)</script>' },
  note: '<!channel> @everyone @here <@U123> & *bold* _it_ `code` [link](https://evil.test)',
  amount: 42.5,
  isPaid: true,
  tags: ['new', 'vip'],
  items: [{ sku: 'a' }, { sku: 'b' }],
  nothing: null,
} as const;

export function sampleDelivery(over: Partial<OutgoingDelivery> = {}): OutgoingDelivery {
  return {
    orgId: 'org_01JZX6C1D2E3F4G5H6J7K8M9NR',
    id: 'dlv_01JZX6C1D2E3F4G5H6J7K8M9NP',
    attempt: 1,
    event: {
      id: 'evt_01JZX6C1D2E3F4G5H6J7K8M9NQ',
      type: 'order.paid',
      icon: '🧾',
      senderId: 'order-42',
      entity: { kind: 'customer', externalId: 'c-7' },
      happenedAt: Date.UTC(2026, 0, 31, 12, 0, 0),
      receivedAt: Date.UTC(2026, 0, 31, 12, 0, 1, 500),
    },
    payload: payloadText(HOSTILE_PAYLOAD),
    labels: { severity: 'high' },
    traits: null,
    sourceName: 'Shop',
    link: null,
    timeoutMs: 30_000,
    isStillWanted: async () => true,
    ...over,
  };
}

/** JSON text with big integers in it as they are. */
export const payloadText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint'
      ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(inner))
      : inner,
  );

/** The thread as the service has it. */
export const databaseThread = (options: { readonly stuckAfterMs?: number } = {}): DatabaseThread =>
  createDatabaseThread({
    start: handlers => startThread(new URL('../../src/database-thread.ts', import.meta.url), handlers),
    onError: () => {},
    ...options,
  });
const databases = databaseThread();

export const renderingThread = () =>
  createRenderingThread({
    start: handlers => startThread(new URL('../../src/rendering-thread.ts', import.meta.url), handlers),
    onError: () => {},
  });
const rendering = renderingThread();

export function destinationDeps(
  over: Partial<DestinationDeps> & { readonly client?: GuardedClient } = {},
): DestinationDeps {
  return {
    client: guardedClient(),
    clock: { now: Date.now },
    renderer: createTemplateRenderer(rendering),
    databases,
    listeners: createListenerConnections(),
    egressAddresses: ['198.51.100.7'],
    ...over,
  };
}

/** From a configuration as somebody saves it to a destination that is ready to send. */
export const prepareFrom = (kind: DestinationKind, config: unknown, deps = destinationDeps()): Destination =>
  kind.prepare(readConfig(kind as Kind, config, 'config'), deps);

/** What saving this configuration is refused with: `400 config.url`, or null where it is taken. */
export async function refusalOf(kind: DestinationKind, config: unknown, deps = destinationDeps()) {
  try {
    const read = readConfig(kind as Kind, config, 'config');
    const destination = kind.prepare(read, deps);
    await destination.close?.();
    await kind.check?.(read, deps);
    return null;
  } catch (error) {
    const { status, path, message } = error as { status?: number; path?: string; message: string };
    if (status === undefined) throw error;
    return { at: `${status} ${path}`, message };
  }
}
