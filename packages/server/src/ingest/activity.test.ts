import { describe, expect, test } from 'bun:test';
import { Problem } from '../core/errors.ts';
import type { Activity } from '../core/stores/configuration/sources.ts';
import { createActivityLog } from './activity.ts';

function open() {
  const recorded: Activity[] = [];
  const recordActivity = async (activity: Activity) => void recorded.push(activity);
  let now = 0;
  return { recorded, log: createActivityLog({ recordActivity }, { now: () => ++now }, () => {}) };
}
const nobody = { address: null, headers: null };
const source = { id: 'src_1', orgId: 'org_1' };

test('records the last use of each key and source once, and nothing where nothing happened', async () => {
  const { recorded, log } = open();
  await log.flush();
  log.keyUsed('key_1');
  log.keyUsed('key_1');
  log.sourceSeen('src_1');
  await log.flush();
  await log.flush();
  expect(recorded).toEqual([
    { keysUsed: [{ id: 'key_1', at: 2 }], sourcesSeen: [{ id: 'src_1', at: 3 }], rejections: [] },
  ]);
});

test('records each rejection with its reason, in order', async () => {
  const { recorded, log } = open();
  log.refused(source, new Problem('unauthenticated'), nobody);
  log.refused(source, new Problem('rate_limited', { message: 'Slower.' }), {
    address: '192.0.2.7',
    headers: '{"user-agent":"x"}',
  });
  await log.flush();
  expect(recorded[0]?.rejections).toMatchObject([
    { sourceId: 'src_1', orgId: 'org_1', at: 1, code: 'unauthenticated' },
    {
      at: 2,
      code: 'rate_limited',
      message: 'Slower.',
      address: '192.0.2.7',
      headers: '{"user-agent":"x"}',
    },
  ]);
});

test('a flood of refusals keeps the last thousand of each source', async () => {
  const { recorded, log } = open();
  log.refused({ id: 'src_2', orgId: 'org_1' }, new Problem('unauthenticated'), nobody);
  for (let n = 0; n < 5_000; n++) log.refused(source, new Problem('unauthenticated'), nobody);
  await log.flush();
  const rejections = recorded[0]?.rejections ?? [];
  expect(rejections.filter(({ sourceId }) => sourceId === 'src_1')).toHaveLength(1_000);
  expect(rejections.filter(({ sourceId }) => sourceId === 'src_2')).toHaveLength(1);
  expect(rejections.at(-1)?.at).toBe(5_001);
});

describe('a write that storage refuses', () => {
  function failing() {
    const recorded: Activity[] = [];
    let fails = true;
    let now = 0;
    const during: (() => void)[] = [];
    const recordActivity = async (activity: Activity) => {
      for (const happen of during.splice(0)) happen();
      if (fails) throw new Problem('storage_unavailable');
      recorded.push(activity);
    };
    const log = createActivityLog({ recordActivity }, { now: () => ++now }, () => {});
    return {
      recorded,
      log,
      during,
      recover() {
        fails = false;
      },
    };
  }

  test('loses nothing: it is recorded with the next, the later time where there are two', async () => {
    const { recorded, log, during, recover } = failing();
    log.keyUsed('key_1');
    log.keyUsed('key_2');
    log.sourceSeen('src_1');
    log.refused(source, new Problem('unauthenticated'), nobody);
    during.push(
      () => log.keyUsed('key_2'),
      () => log.refused(source, new Problem('rate_limited'), nobody),
    );
    await expect(log.flush()).rejects.toMatchObject({ code: 'storage_unavailable' });
    recover();
    await log.flush();
    await log.flush();
    expect(recorded).toMatchObject([
      {
        keysUsed: [
          { id: 'key_1', at: 1 },
          { id: 'key_2', at: 5 },
        ],
        sourcesSeen: [{ id: 'src_1', at: 3 }],
        rejections: [
          { at: 4, code: 'unauthenticated' },
          { at: 6, code: 'rate_limited' },
        ],
      },
    ]);
  });

  test('still keeps no more than the last thousand refusals of a source', async () => {
    const { recorded, log, recover } = failing();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 600; n++) log.refused(source, new Problem('unauthenticated'), nobody);
      await log.flush().catch(() => {});
    }
    recover();
    await log.flush();
    expect(recorded[0]?.rejections).toHaveLength(1_000);
    expect(recorded[0]?.rejections.at(-1)?.at).toBe(1_800);
  });
});
