import { expect, test } from 'bun:test';
import { systemEventPayload, systemEventTypes } from '@sluice/contract/system-events';
import type { Trouble } from '../core/stores/alerts.ts';
import { systemPayload } from './payload.ts';

const about = (over: Partial<Trouble>): Trouble => ({
  orgId: 'org_1',
  type: 'sluice.destination.down',
  subject: { type: 'destination', id: 'dst_1', name: 'Shop', kind: 'webhook' },
  since: Date.UTC(2026, 0, 31),
  counts: {},
  lastError: null,
  ...over,
});

test.each(systemEventTypes)('the payload of %s has every field but the URL, whatever is known', type => {
  const payload = systemPayload(about({ type }), null);
  expect(systemEventPayload.parse(payload)).toEqual(payload);
  expect(payload).toMatchObject({
    subject: { kind: 'destination', id: 'dst_1', name: 'Shop', subtype: 'webhook' },
    since: '2026-01-31T00:00:00.000Z',
  });
  expect(payload).not.toHaveProperty('url');
  expect(systemPayload(about({ type, lastError: 'It answered 503.' }), '/x')).toMatchObject({
    reason: 'It answered 503.',
    url: '/x',
  });
});

test('what waits stands beside the counts; of a backlog it is all of them', () => {
  expect(systemPayload(about({ counts: { waiting: 60 } }), null)).toMatchObject({ waiting: 60, counts: {} });
  const counts = { events: 3, deliveries: 120 };
  const backlog = about({ type: 'sluice.backlog.growing', counts });
  expect(systemPayload(backlog, null)).toMatchObject({ waiting: 123, counts });
  expect(systemPayload(about({ type: 'sluice.source.quiet' }), null).waiting).toBeNull();
});

test('a subject of which there are no sorts has no subtype', () => {
  const subject = { type: 'organisation', id: 'org_1', name: 'Acme', kind: 'organisation' } as const;
  expect(systemPayload(about({ subject }), null).subject.subtype).toBeNull();
});

test('an export that ended early is not said to be of none', () => {
  const subject = { type: 'job', id: 'job_1', name: 'export', kind: 'events.export' } as const;
  const ended = about({
    type: 'sluice.job.finished',
    subject,
    counts: { done: 10_000, total: 0, failed: 0 },
  });
  expect(systemPayload({ ...ended, state: 'cancelled' }, null).message).toBe(
    'Job job_1 (events.export) is cancelled: 10,000 done, 0 failed.',
  );
  const whole = { ...ended, counts: { done: 3, total: 4, failed: 1 }, state: 'done' } as const;
  expect(systemPayload(whole, null).message).toContain(': 3 of 4, 1 failed.');
});
