import { expect, test } from 'bun:test';
import { everyStore } from '../../support/every-store.ts';
import { idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

export function labelsContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);
  const lease = (now: number, leaseMs = 1_000, token = 'node 1') => ({ token, now, leaseMs });

  test('lets one find a label out, and the others know it afterwards', async () => {
    const org = orgId();
    expect(await subject.storage.findLabel(org, 'key')).toBeNull();
    const claims = await subject.atOnce(12, storage => storage.claimLabel(org, 'key', lease(NOW)));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'busy')).toHaveLength(11);
    expect(await subject.storage.findLabel(org, 'key')).toBeNull();
    await subject.storage.keepLabel(org, 'key', 'high', NOW + 5);
    expect(await subject.storage.claimLabel(org, 'key', lease(NOW + 6))).toEqual({
      kind: 'hit',
      label: 'high',
    });
    expect(await subject.storage.findLabel(org, 'key')).toBe('high');
  });

  test('gives the right to the next when it is released, or when its lease is over', async () => {
    const org = orgId();
    const claim = async (at: number) => (await subject.storage.claimLabel(org, 'key', lease(at, 100))).kind;
    expect([await claim(NOW), await claim(NOW + 99)]).toEqual(['claimed', 'busy']);
    await subject.storage.releaseLabel(org, 'key', 'node 1');
    expect([await claim(NOW + 99), await claim(NOW + 198)]).toEqual(['claimed', 'busy']);
    expect([await claim(NOW + 199), await claim(NOW + 199)]).toEqual(['claimed', 'busy']);
    await subject.storage.keepLabel(org, 'key', 'low', NOW + 200);
    await subject.storage.releaseLabel(org, 'key', 'node 1');
    expect(await subject.storage.findLabel(org, 'key')).toBe('low');
  });

  test('leaves a right alone that another has by now', async () => {
    const org = orgId();
    await subject.storage.claimLabel(org, 'key', lease(NOW, 100));
    await subject.storage.claimLabel(org, 'key', lease(NOW + 100, 100, 'other 1'));
    await subject.storage.releaseLabel(org, 'key', 'node 1');
    expect(await subject.storage.claimLabel(org, 'key', lease(NOW + 150))).toEqual({ kind: 'busy' });
  });

  test('knows nothing of another organisation', async () => {
    const [org, other] = [orgId(), orgId()];
    await subject.storage.keepLabel(org, 'key', 'high', NOW);
    expect(await subject.storage.findLabel(other, 'key')).toBeNull();
    expect(await subject.storage.claimLabel(other, 'key', lease(NOW))).toEqual({ kind: 'claimed' });
  });

  test('removes labels that nobody has used, and no others', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const org = orgId();
    for (const key of ['a', 'b', 'c']) await storage.keepLabel(org, key, 'high', NOW);
    await storage.recordLabelUse([
      { orgId: org, key: 'b', hits: 3, at: NOW + 50 },
      { orgId: org, key: 'unknown', hits: 1, at: NOW },
    ]);
    await storage.recordLabelUse([]);
    expect(await storage.pruneProcessing(NOW, NOW, 10)).toBe(0);
    expect(await storage.pruneProcessing(NOW, NOW + 50, 1)).toBe(1);
    expect(await storage.pruneProcessing(NOW, NOW + 50, 10)).toBe(1);
    expect(await Promise.all(['a', 'b', 'c'].map(key => storage.findLabel(org, key)))).toEqual([
      null,
      'high',
      null,
    ]);
    await remove();
  });
}
