import { expect, test } from 'bun:test';
import type { Waiting } from '../core/stores/counters.ts';
import { createMetrics } from './metrics.ts';

test('what waits is left out while storage cannot say, and shown again afterwards', async () => {
  let counts: Waiting | null = {
    events: 7,
    deliveries: { pending: 1, delivering: 2, retrying: 3 },
    deadDeliveries: 4,
    failedEvents: 5,
  };
  const metrics = createMetrics({ waiting: () => 0, countWaiting: async () => counts, version: '1' });
  const told = async () =>
    (await metrics.render())
      .split('\n')
      .filter(line => /^sluice_(events_waiting|deliveries_open|dead_letters)/.test(line));
  const all = [
    'sluice_events_waiting 7',
    'sluice_deliveries_open{state="pending"} 1',
    'sluice_deliveries_open{state="delivering"} 2',
    'sluice_deliveries_open{state="retrying"} 3',
    'sluice_dead_letters{kind="delivery"} 4',
    'sluice_dead_letters{kind="event"} 5',
  ];
  expect(await told()).toEqual(all);
  const before = counts;
  counts = null;
  expect(await told()).toEqual([]);
  counts = before;
  expect(await told()).toEqual(all);
});

test('ends and settlements are counted from 0 on, by state', async () => {
  const metrics = createMetrics({ waiting: () => 0, countWaiting: async () => null, version: '1' });
  expect(await metrics.render()).toContain('sluice_deliveries_ended_total{state="dead"} 0');
  metrics.ended('dead', 3);
  metrics.ended('dead', 1);
  metrics.settled('dropped');
  const text = await metrics.render();
  expect(text).toContain('sluice_deliveries_ended_total{state="dead"} 4');
  expect(text).toContain('sluice_deliveries_ended_total{state="delivered"} 0');
  expect(text).toContain('sluice_deliveries_ended_total{state="cancelled"} 0');
  expect(text).toContain('sluice_events_settled_total{state="dropped"} 1');
  expect(text).not.toContain('state="accepted"');
});
