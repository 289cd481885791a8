import { describe, expect, test } from 'bun:test';
import { minutes } from '../core/clock.ts';
import { createIndexUpkeep } from './search-index.ts';

/** Organisations with so many slices to index each. */
function upkeepOf(slices: Record<string, number>) {
  const indexed: string[] = [];
  const state = { now: minutes(10), stopping: false, pauses: 0, looks: 0 };
  const upkeep = createIndexUpkeep({
    accounts: {
      async listOrganisations() {
        state.looks++;
        return Object.keys(slices).map(id => ({ id }));
      },
    },
    entities: {
      async reindexEntities(orgId, limit) {
        const left = slices[orgId] ?? 0;
        if (left === 0) return 0;
        slices[orgId] = left - 1;
        indexed.push(orgId);
        return limit;
      },
    },
    clock: { now: () => state.now },
    pause: async () => void state.pauses++,
    isStopping: () => state.stopping,
  });
  return { upkeep, indexed, state, slices };
}

describe('keeping the index of searchable traits', () => {
  test('indexes slice by slice until nothing is left, with a pause after each', async () => {
    const { upkeep, indexed, state } = upkeepOf({ a: 2, b: 1 });
    await upkeep.work();
    expect(indexed).toEqual(['a', 'a', 'b']);
    expect(state.pauses).toBe(3);
  });

  test('looks again when a setting changed, and now and then anyway', async () => {
    const { upkeep, state } = upkeepOf({ a: 0 });
    await upkeep.work();
    await upkeep.work();
    expect(state.looks).toBe(1);
    upkeep.notice(null);
    await upkeep.work();
    expect(state.looks).toBe(2);
    state.now += minutes(1);
    await upkeep.work();
    expect(state.looks).toBe(3);
  });

  test('looks at nobody but whose own settings changed', async () => {
    const { upkeep, state, indexed, slices } = upkeepOf({ a: 0, b: 0 });
    await upkeep.work();
    Object.assign(slices, { a: 1, b: 1 });
    upkeep.notice({ organisationId: 'a', what: 'keys', id: 'key' });
    await upkeep.work();
    expect(indexed).toEqual([]);
    upkeep.notice({ organisationId: 'b', what: 'organisation' });
    await upkeep.work();
    expect([indexed, state.looks]).toEqual([['b'], 1]);
  });

  test('ends when the service stops, however much is left', async () => {
    const { upkeep, indexed, state } = upkeepOf({ a: 1_000 });
    state.stopping = true;
    await upkeep.work();
    expect(indexed).toEqual([]);
  });
});
