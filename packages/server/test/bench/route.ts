import { until } from '../support/until.ts';
import type { Measured, MeasuredSluice } from './servers.ts';

/** A service's way to the receiver: a source that takes everything, a pipeline, and signed webhooks. */

/** How many deliveries a destination takes at once. */
export const CONCURRENCY = 64;

/** Reshapes, filters and redacts, as most pipelines do. */
export const THREE_STEPS = [
  { kind: 'transform', config: { rename: { id: 'order_id' }, remove: ['notes'] } },
  { kind: 'filter.match', config: { condition: 'payload.total > 100 && event.type == "order.created"' } },
  { kind: 'redact.pii', config: { detectors: ['email', 'phone', 'credit_card'] } },
];

export interface Route {
  readonly steps: readonly unknown[];
  /** Of the receiver: `/hook` counts, `/hang` never answers. */
  readonly paths?: readonly string[];
}

export async function routeTo(sluice: MeasuredSluice, receiver: Measured, route: Route): Promise<void> {
  const destinations: { id: string }[] = [];
  for (const path of route.paths ?? ['/hook']) {
    const { id } = await sluice.post<{ id: string }>('/destinations', {
      kind: 'webhook',
      name: path,
      config: { url: `${receiver.url}${path}`, auth: { mode: 'hmac' } },
      policy: { concurrency: CONCURRENCY },
    });
    destinations.push({ id });
  }
  const { id: source } = await sluice.post<{ id: string }>('/sources', {
    kind: 'sdk',
    name: 'All',
    match: '*',
  });
  const { steps } = route;
  await sluice.post('/pipelines', { name: 'Orders', sources: [source], steps, destinations, enabled: true });
}

/** How many different events the receiver has got. */
export async function countReceived(receiver: Measured): Promise<number> {
  const response = await fetch(`${receiver.url}/received`);
  return ((await response.json()) as { events: number }).events;
}

export const untilReceived = (receiver: Measured, events: number): Promise<void> =>
  until(
    async () => (await countReceived(receiver)) >= events,
    `The receiver did not get ${events} events.`,
    60_000,
  );
