import { afterAll, beforeAll, expect, test } from 'bun:test';
import { aDestination, routedTo } from '../../../../test/contract/storage/delivery-samples.ts';
import {
  aClaimInput,
  accepted,
  aRun,
  aSettlement,
} from '../../../../test/contract/storage/pipeline-samples.ts';
import { NOW } from '../../../../test/contract/storage/samples.ts';
import { openPrivateCalls, type PrivateCalls } from '../../../../test/support/private-calls.ts';
import { systemClock } from '../../../core/clock.ts';
import { createDeadLetterActions } from '../../../delivery/dead-letters/actions.ts';
import { deadLetterCalls } from './dead-letters.ts';

let dashboard: PrivateCalls;
/** Happens between the moment that letters are found and the one that they are answered. */
let meanwhile = async () => {};

beforeAll(async () => {
  dashboard = await openPrivateCalls();
  const { storage, calls } = dashboard;
  const deadLetters = createDeadLetterActions({
    journal: storage,
    jobs: storage,
    deliveryQueue: {
      ...storage,
      async listFailedEvents(...args) {
        const found = await storage.listFailedEvents(...args);
        await meanwhile();
        return found;
      },
    },
    clock: systemClock,
    onDeliveriesDue: () => {},
  });
  deadLetterCalls(calls, {
    journal: storage,
    deliveryQueue: storage,
    deadLetters,
    configuration: storage,
    clock: systemClock,
  });
});
afterAll(() => dashboard.close());

const read = async (path: string): Promise<string> => (await dashboard.get(path)).text();

/** The ids of what is exported. */
const exported = async (query = ''): Promise<string[]> =>
  (await read(`/dead-letters/export${query}`))
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { id: string }).id)
    .sort();

/** Deliveries that are dead. */
async function dead(count: number): Promise<string[]> {
  const { storage, orgId } = dashboard;
  const { id } = aDestination(orgId);
  await storage.createDestination(aDestination(orgId, { id }));
  await routedTo(storage, orgId, [id], { count });
  const input = { orgId, destinationId: id, limit: count, bytes: 1 << 20 };
  const claimed = await storage.claimDeliveries([input], { token: 't', now: NOW });
  const facts = { n: 1, at: NOW, durationMs: 1, status: null, message: 'No.', response: '' };
  const attempt = { ...facts, code: 'timeout' as const, request: '{"target":"","headers":{},"body":""}' };
  const next = { state: 'dead' as const, code: 'timeout' as const };
  await storage.recordAttempts(
    claimed.map(delivery => ({ orgId, deliveryId: delivery.id, token: 't', attempt, next })),
  );
  return claimed.map(delivery => delivery.id);
}

/** Two events that failed. */
async function twoFailed(): Promise<string[]> {
  const { storage, orgId } = dashboard;
  const ids = await accepted(storage, orgId, 2);
  const { events } = await storage.claimEvents(aClaimInput());
  await storage.settleEvents(
    events.map(claimed => aSettlement(claimed, { runs: [aRun({ outcome: 'failed', reason: 'No.' })] })),
    NOW,
  );
  return ids;
}

test('letters that are resolved while the others are read are left out', async () => {
  const { storage, orgId } = dashboard;
  const [gone = '', other = ''] = await dead(2);
  const [resolved = '', failed = ''] = await twoFailed();
  expect(await exported()).toEqual([gone, other, resolved, failed].sort());
  meanwhile = async () => {
    await storage.discardDelivery(orgId, gone, NOW);
    await storage.discardFailedEvent(orgId, resolved);
  };
  expect(await exported()).toEqual([other, failed].sort());
  meanwhile = async () => void (await storage.discardFailedEvent(orgId, failed));
  expect(await read('/dead-letters')).not.toContain(failed);
});

test('more than go into one answer are refused, and none of them is on record', async () => {
  const { storage, orgId } = dashboard;
  const exports = async () => {
    const log = await storage.listAudit(orgId, { limit: 100, below: null });
    return log.filter(({ action }) => action === 'dead_letters.exported').length;
  };
  const before = await exports();
  for (let slice = 0; slice < 10; slice++) await dead(1_000);
  const answer = await dashboard.get('/dead-letters/export');
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain('More than 10,000 dead letters match: export them as a job.');
  expect(await exports()).toBe(before);
  expect(await exported('?code=dns_failed')).toEqual([]);
  expect(await exports()).toBe(before + 1);
});
