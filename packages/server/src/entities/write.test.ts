import { describe, expect, test } from 'bun:test';
import { systemClock } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import type { EntityWriteRequest, EntityWriteResult } from '../core/stores/entities.ts';
import { createEntityWriter } from './write.ts';

const input = (externalId: string, traits = '{}') => ({
  kind: 'customer',
  externalId,
  mode: 'merge' as const,
  traits,
  ifMatch: null,
});

const written: EntityWriteResult = { kind: 'written', entities: [] };

/** Storage that is told what to do with each batch when it comes, and keeps the batches. */
function slowStorage() {
  const batches: { requests: readonly EntityWriteRequest[]; settle(error?: Error): void }[] = [];
  let arrived = () => {};
  return {
    batches,
    async writeEntities(requests: readonly EntityWriteRequest[]): Promise<EntityWriteResult[]> {
      const settled = new Promise<void>((resolve, reject) => {
        batches.push({ requests, settle: error => (error ? reject(error) : resolve()) });
      });
      arrived();
      await settled;
      return requests.map(() => written);
    },
    async batch(n: number) {
      while (batches.length <= n) await new Promise<void>(resolve => (arrived = resolve));
      return batches[n] as (typeof batches)[number];
    },
  };
}

const namesOf = (requests: readonly EntityWriteRequest[]) =>
  requests.map(({ writes }) => writes.map(({ externalId }) => externalId).join());

describe('writing entities', () => {
  test('puts what waits into one batch, in order, with rising changes', async () => {
    const storage = slowStorage();
    const write = createEntityWriter(storage, systemClock);
    const answers = ['a', 'b', 'c'].map(name => write('org', [input(name), input(`${name}2`)]));
    const { requests, settle } = await storage.batch(0);
    expect(namesOf(requests)).toEqual(['a,a2', 'b,b2', 'c,c2']);
    const changes = requests.flatMap(({ writes }) => writes.map(({ changed }) => changed));
    expect(changes).toEqual(changes.toSorted((a, b) => a - b));
    expect(new Set(changes).size).toBe(6);
    settle();
    expect(await Promise.all(answers)).toEqual([written, written, written]);
  });

  test('gathers what comes while two batches are under way', async () => {
    const storage = slowStorage();
    const write = createEntityWriter(storage, systemClock);
    const answers = [write('org', [input('a')])];
    const first = await storage.batch(0);
    answers.push(write('org', [input('b')]));
    await storage.batch(1);
    answers.push(write('org', [input('c')]), write('org', [input('d')]));
    await new Promise(resolve => setImmediate(resolve));
    expect(storage.batches).toHaveLength(2);
    first.settle();
    const third = await storage.batch(2);
    expect(namesOf(third.requests)).toEqual(['c', 'd']);
    for (const { settle } of storage.batches) settle();
    await Promise.all(answers);
  });

  test('tries each by itself when storage cannot take a batch, so that one alone is refused', async () => {
    const storage = {
      writeEntities: async (requests: readonly EntityWriteRequest[]) => {
        if (namesOf(requests).includes('bad')) throw new Error('no');
        return requests.map(() => written);
      },
    };
    const write = createEntityWriter(storage, systemClock);
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map(name => write('org', [input(name)])));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('rejects all of a batch when storage is away, and writes again afterwards', async () => {
    let isAway = true;
    const storage = {
      writeEntities: async (requests: readonly EntityWriteRequest[]) => {
        if (isAway) throw new Problem('storage_unavailable', { retryAfter: 1 });
        return requests.map(() => written);
      },
    };
    const write = createEntityWriter(storage, systemClock);
    const outcomes = await Promise.allSettled(['a', 'b'].map(name => write('org', [input(name)])));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await write('org', [input('a')])).toEqual(written);
  });

  test('refuses what would not fit into memory, and takes it once there is room', async () => {
    const storage = slowStorage();
    const write = createEntityWriter(storage, systemClock);
    const huge = 'x'.repeat(60 * 1024 * 1024);
    const first = write('org', [input('a', huge)]);
    expect(() => write('org', [input('b', huge)])).toThrow(Problem);
    (await storage.batch(0)).settle();
    await first;
    const second = write('org', [input('b', huge)]);
    (await storage.batch(1)).settle();
    expect(await second).toEqual(written);
  });
});
