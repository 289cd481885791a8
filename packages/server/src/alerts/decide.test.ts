import { describe, expect, test } from 'bun:test';
import { minutes } from '../core/clock.ts';
import type { StoredAlert, Trouble } from '../core/stores/alerts.ts';
import { decideAlerts } from './decide.ts';

const NOW = 1_000_000_000;
const subject = { type: 'destination', id: 'dst_1', name: 'Shop', kind: 'webhook' } as const;
const trouble: Trouble = {
  orgId: 'org_1',
  type: 'sluice.destination.down',
  subject,
  since: NOW - 5,
  counts: {},
  lastError: null,
};
const alert = (given: Partial<StoredAlert>): StoredAlert => ({
  orgId: 'org_1',
  type: 'sluice.destination.down',
  subjectId: 'dst_1',
  since: NOW - 5,
  details: null,
  raisedAt: null,
  recoveredAt: null,
  ...given,
});
const nothing = { raise: [], recover: [], forget: [] };

describe('what is wrong', () => {
  test('is raised where it was never seen, or began and was not told', () => {
    expect(decideAlerts([trouble], [], NOW)).toEqual({ ...nothing, raise: [trouble] });
    expect(decideAlerts([trouble], [alert({})], NOW)).toEqual({ ...nothing, raise: [trouble] });
  });

  test('is not raised again for as long as it lasts', () => {
    const told = alert({ raisedAt: NOW - minutes(600) });
    expect(decideAlerts([trouble], [told], NOW)).toEqual(nothing);
  });

  test('is raised again after it was over, but not within ten minutes of the first time', () => {
    const over = (raisedAt: number) => alert({ raisedAt, recoveredAt: raisedAt + 1 });
    expect(decideAlerts([trouble], [over(NOW - minutes(10) + 1)], NOW)).toEqual(nothing);
    expect(decideAlerts([trouble], [over(NOW - minutes(10))], NOW).raise).toEqual([trouble]);
  });

  test('is raised after a clock went back, too', () => {
    const ahead = NOW + minutes(60 * 24);
    expect(decideAlerts([trouble], [alert({ raisedAt: ahead, recoveredAt: ahead })], NOW).raise).toEqual([
      trouble,
    ]);
  });

  test('of another organisation or type is another', () => {
    const told = alert({ raisedAt: NOW - 1 });
    const others = [
      { ...trouble, orgId: 'org_2' },
      { ...trouble, type: 'sluice.source.quiet' as const },
    ];
    expect(decideAlerts([trouble, ...others], [told], NOW)).toEqual({ ...nothing, raise: others });
  });
});

describe('what is over', () => {
  test('has recovered where it was told, and is forgotten where it was not', () => {
    const told = alert({ raisedAt: NOW - 1 });
    expect(decideAlerts([], [told], NOW)).toEqual({ ...nothing, recover: [told] });
    expect(decideAlerts([], [alert({})], NOW)).toEqual({ ...nothing, forget: [alert({})] });
  });

  test('stays known for ten minutes after it was told, for what comes after it', () => {
    const over = (raisedAt: number) => alert({ raisedAt, recoveredAt: raisedAt });
    expect(decideAlerts([], [over(NOW - minutes(9))], NOW)).toEqual(nothing);
    expect(decideAlerts([], [over(NOW - minutes(10))], NOW).forget).toHaveLength(1);
  });
});

test('what happened and cannot be seen any more is raised from what was kept of it', () => {
  const details = { subject: { ...subject, type: 'node' as const }, counts: { failed: 10 }, address: '::1' };
  const happened = alert({ type: 'sluice.node.lost', details });
  expect(decideAlerts([], [happened], NOW)).toEqual({
    ...nothing,
    raise: [{ orgId: 'org_1', type: 'sluice.node.lost', since: NOW - 5, lastError: null, ...details }],
  });
});
