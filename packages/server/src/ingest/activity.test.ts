import { expect, test } from 'bun:test';
import { Problem } from '../core/errors.ts';
import type { Activity } from '../core/stores/storage.ts';
import { createActivityLog } from './activity.ts';

function open() {
  const told: Activity[] = [];
  const recordActivity = async (activity: Activity) => void told.push(activity);
  let now = 0;
  return { told, log: createActivityLog({ recordActivity }, { now: () => ++now }) };
}
const source = { id: 'src_1', orgId: 'org_1' };

test('tells the last use of each key and source once, and nothing where nothing happened', async () => {
  const { told, log } = open();
  await log.flush();
  log.keyUsed('key_1');
  log.keyUsed('key_1');
  log.sourceSeen('src_1');
  await log.flush();
  await log.flush();
  expect(told).toEqual([
    { keysUsed: [{ id: 'key_1', at: 2 }], sourcesSeen: [{ id: 'src_1', at: 3 }], rejections: [] },
  ]);
});

test('tells each refusal with its reason, in order', async () => {
  const { told, log } = open();
  log.refused(source, new Problem('unauthenticated'));
  log.refused(source, new Problem('rate_limited', { message: 'Slower.' }));
  await log.flush();
  expect(told[0]?.rejections).toMatchObject([
    { sourceId: 'src_1', orgId: 'org_1', at: 1, code: 'unauthenticated' },
    { at: 2, code: 'rate_limited', message: 'Slower.' },
  ]);
});

test('a flood of refusals keeps the last thousand of each source', async () => {
  const { told, log } = open();
  log.refused({ id: 'src_2', orgId: 'org_1' }, new Problem('unauthenticated'));
  for (let n = 0; n < 5_000; n++) log.refused(source, new Problem('unauthenticated'));
  await log.flush();
  const rejections = told[0]?.rejections ?? [];
  expect(rejections.filter(({ sourceId }) => sourceId === 'src_1')).toHaveLength(1_000);
  expect(rejections.filter(({ sourceId }) => sourceId === 'src_2')).toHaveLength(1);
  expect(rejections.at(-1)?.at).toBe(5_001);
});
