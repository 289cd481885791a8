import { expect, test } from 'bun:test';
import { Problem } from '../../core/errors.ts';
import { idFloor } from '../../core/ids.ts';
import { LATE_MS } from '../../core/stores/counters.ts';
import type { EndedAttempt } from '../../core/stores/delivery-queue.ts';
import { createResultLog } from './results.ts';

const ended = (deliveryId: string, response: string): EndedAttempt => ({
  orgId: 'org_1',
  deliveryId,
  token: 'run_1',
  attempt: {
    n: 1,
    at: 0,
    durationMs: 1,
    status: 550,
    code: 'rejected_by_destination',
    message: response,
    request: JSON.stringify({ target: 'smtp', headers: {}, body: response }),
    response,
  },
  next: { state: 'retrying', dueAt: 1 },
});

const now = 100_000_000;

/** Storage that takes no attempt whose texts hold a NUL. */
function storage() {
  const written: EndedAttempt[] = [];
  return {
    written,
    async recordAttempts(records: readonly EndedAttempt[]): Promise<number[]> {
      if (JSON.stringify(records).includes('\\u0000')) throw new Error('invalid byte sequence: 0x00');
      written.push(...records);
      return [];
    },
  };
}

test('an attempt whose texts cannot be stored is stored without them, and costs no other its own', async () => {
  const deliveryQueue = storage();
  const log = createResultLog({ deliveryQueue, clock: { now: () => now }, onError: () => {} });
  const results = await Promise.all([
    log.write(ended('dlv_1', 'fine'), 'dst'),
    log.write(ended('dlv_2', 'go\0away'), 'dst'),
    log.write(ended('dlv_3', 'fine too'), 'dst'),
  ]);
  expect(results.map(written => written?.deliveryId)).toEqual(['dlv_1', 'dlv_2', 'dlv_3']);
  const byId = new Map(deliveryQueue.written.map(record => [record.deliveryId, record]));
  expect(byId.get('dlv_1')?.attempt.response).toBe('fine');
  expect(byId.get('dlv_2')).toMatchObject({
    attempt: { n: 1, status: 550, code: 'rejected_by_destination', response: '' },
    next: { state: 'retrying', dueAt: 1 },
  });
});

test('what storage that is away does not take is left to its claim', async () => {
  let writes = 0;
  const deliveryQueue = {
    async recordAttempts(): Promise<number[]> {
      writes++;
      throw new Problem('storage_unavailable', { retryAfter: 1 });
    },
  };
  const log = createResultLog({ deliveryQueue, clock: { now: () => now }, onError: () => {} });
  log.hurry();
  expect(await log.write(ended('dlv_1', 'fine'), 'dst')).toBeNull();
  expect(writes).toBe(1);
});

test('what is late when it is written is counted with it, however early it was answered', async () => {
  const deliveryQueue = storage();
  const log = createResultLog({ deliveryQueue, clock: { now: () => now }, onError: () => {} });
  const delivered = (madeAt: number): EndedAttempt => ({
    ...ended(idFloor('dlv', madeAt), ''),
    next: { state: 'delivered' },
  });
  const written = await Promise.all([
    log.write(delivered(now - LATE_MS - 1), 'dst'),
    log.write(delivered(now - LATE_MS), 'dst'),
  ]);
  const nexts = [{ state: 'delivered', lateAt: 'dst' }, { state: 'delivered' }];
  expect(written.map(record => record?.next as object)).toEqual(nexts);
  expect(deliveryQueue.written.map(({ next }) => next as object)).toEqual(nexts);
});

test('of two results of one delivery, the one that is refused takes nothing from the other', async () => {
  const recordAttempts = async () => [0];
  const log = createResultLog({
    deliveryQueue: { recordAttempts },
    clock: { now: () => now },
    onError: () => {},
  });
  const [stale, fresh] = [ended('dlv_1', 'late'), ended('dlv_1', 'fine')];
  expect(await Promise.all([log.write(stale, 'dst'), log.write(fresh, 'dst')])).toEqual([null, fresh]);
});
