import { type PipelineEvent, type Scope, scopeOf } from '../../src/core/event/scope.ts';
import type { JsonObject } from '../../src/core/json/json.ts';

export const sampleEvent = (change: Partial<PipelineEvent> = {}): PipelineEvent => ({
  id: 'evt_01J00000000000000000000001',
  type: 'order.created',
  icon: '🛒',
  senderId: 'order-1',
  entity: { kind: 'customer', externalId: 'c-1' },
  happenedAt: Date.UTC(2026, 0, 31, 11, 59),
  receivedAt: Date.UTC(2026, 0, 31, 12, 0),
  ...change,
});

/** What a condition or a reference sees of an event with this payload. */
export const scopeWith = (
  payload: JsonObject,
  change: {
    event?: Partial<PipelineEvent>;
    labels?: JsonObject;
    traits?: JsonObject | null;
    sourceName?: string | null;
  } = {},
): Scope =>
  scopeOf(sampleEvent(change.event), {
    payload,
    labels: change.labels ?? {},
    traits: change.traits === undefined ? { plan: 'pro' } : change.traits,
    sourceName: change.sourceName === undefined ? 'Shop' : change.sourceName,
  });
