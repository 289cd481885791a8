import { describe, expect, test } from 'bun:test';
import type { DeliveryRecord, EventRecord } from '@sluice/contract/dashboard-letters';
import type { RunRecord, StoppedRunRecord } from '@sluice/contract/dashboard-pipelines';
import { verdictOf } from './verdict.ts';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const soon = (ms: number) => new Date(NOW + ms).toISOString();

const aRun = (given: Partial<RunRecord> = {}): RunRecord => ({
  id: 'run_1',
  pipeline: { id: 'pipe_1', name: 'Orders', version: 3 },
  outcome: 'routed',
  step: null,
  reason: null,
  steps: [],
  cut_at: null,
  tries: [],
  routing: [],
  replay: null,
  at: soon(0),
  ...given,
});

const aDelivery = (name: string, given: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  id: `dlv_${name}`,
  event_id: 'evt_1',
  event_type: 'order.paid',
  pipeline: { id: 'pipe_1', name: 'Orders' },
  destination: { id: `dst_${name}`, name, kind: 'webhook' },
  state: 'delivered',
  attempt: 1,
  next_attempt_at: null,
  code: null,
  status: null,
  created_at: soon(0),
  finished_at: null,
  replayed_by: null,
  outage: null,
  attempts: [],
  run_id: 'run_1',
  ...given,
});

const answered = (status: number): DeliveryRecord['attempts'][number] => ({
  n: 1,
  at: soon(0),
  duration_ms: 1,
  status,
  code: 'bad_status',
  message: null,
  request: { target: '', headers: {}, body: '' },
  response: '',
  exchange: null,
  cut: false,
});

const anEvent = (given: Partial<EventRecord>): EventRecord => ({
  id: 'evt_1',
  type: 'order.paid',
  icon: null,
  state: 'processed',
  outcome: 'delivered',
  delivery_states: {},
  sources: [],
  entity: null,
  timestamp: soon(0),
  received_at: soon(0),
  sender_id: null,
  erased_at: null,
  waiting: null,
  payload: {},
  runs: [aRun()],
  deliveries: [],
  runs_cut: false,
  deliveries_cut: false,
  ...given,
});

const titles: Readonly<Record<string, string>> = { 'filter.match': 'Filter', classify: 'Classify' };
const titleOf = (kind: string) => titles[kind] ?? kind;

const verdict = (given: Partial<EventRecord>) => verdictOf(anEvent(given), NOW, titleOf);

describe('the verdict on an event', () => {
  test('that arrived everywhere', () => {
    expect(verdict({ deliveries: [aDelivery('Shop')] })).toEqual({
      tone: 'good',
      text: 'Delivered to “Shop”.',
    });
    expect(verdict({ deliveries: [aDelivery('A'), aDelivery('B')] }).text).toBe(
      'Delivered to all 2 destinations.',
    );
  });

  test('that arrived wherever nobody has discarded it', () => {
    const six = ['A', 'B', 'C', 'D', 'E', 'F'].map(name => aDelivery(name));
    expect(verdict({ deliveries: [...six, aDelivery('G', { state: 'cancelled' })] })).toEqual({
      tone: 'good',
      text: 'Delivered to all 6 destinations.',
    });
  });

  test('that waits for one of three destinations says what it answered and when the next try is', () => {
    const slack = aDelivery('Slack', {
      state: 'retrying',
      next_attempt_at: soon(240_000),
      attempts: [answered(500)],
    });
    expect(verdict({ deliveries: [aDelivery('A'), slack, aDelivery('B')] })).toEqual({
      tone: 'waiting',
      text: 'Delivered to 2 of 3 destinations; “Slack” answered 500, next attempt in 4m.',
    });
  });

  test('that waits for a destination that is down says so, and names no time', () => {
    const outage = { down_since: soon(-3_600_000), last_probe_at: soon(-60_000) };
    const waits = { outage, next_attempt_at: soon(-18_000), attempts: [answered(500)] };
    for (const state of ['pending', 'retrying'] as const) {
      expect(verdict({ deliveries: [aDelivery('A', { ...waits, state })] })).toEqual({
        tone: 'waiting',
        text: expect.stringMatching(
          /^Delivered to 0 of 1 destination; waiting for “A”, which has been down since .*\d\d:\d\d\.$/,
        ),
      });
    }
  });

  test('that is about to be sent, or is being sent', () => {
    const of = (state: 'pending' | 'delivering') => verdict({ deliveries: [aDelivery('A', { state })] }).text;
    expect(of('pending')).toBe('Delivered to 0 of 1 destination; queued for “A”.');
    expect(of('delivering')).toBe('Delivered to 0 of 1 destination; sending to “A”.');
  });

  test('that was given up, is kept, or was cancelled', () => {
    const dead = aDelivery('A', { state: 'dead', attempt: 8, code: 'timeout' });
    expect(verdict({ deliveries: [dead] })).toEqual({
      tone: 'bad',
      text: 'Delivered to 0 of 1 destination; “A” did not answer in time, exhausted after 8 attempts.',
    });
    expect(verdict({ deliveries: [aDelivery('A', { state: 'held' })] }).text).toContain(
      '“A” is paused; the delivery is held',
    );
    const destination = { id: 'dst_1', name: 'Laptop', kind: 'listener' };
    const awaited = aDelivery('A', { state: 'held', destination });
    expect(verdict({ deliveries: [awaited] }).text).toContain('“Laptop” is not connected, or paused; the');
    const five = ['A', 'B', 'C', 'D', 'E'].map(name => aDelivery(name, { state: 'cancelled' }));
    const { tone, text } = verdict({ deliveries: five });
    expect(text).toEndWith('“C” was cancelled; and 2 more.');
    expect(tone).toBe('quiet');
  });

  test('that was dropped or failed names the pipeline, the step and the reason', () => {
    const steps = [
      {
        kind: 'filter.match',
        outcome: 'dropped' as const,
        duration_ms: 1,
        before: null,
        after: null,
        note: null,
      },
    ];
    const dropped = aRun({ outcome: 'dropped', step: 0, reason: 'payload.total > 5 is false', steps });
    expect(verdict({ state: 'dropped', runs: [dropped] })).toEqual({
      tone: 'quiet',
      text: 'Dropped by step 1 (Filter) of “Orders”: payload.total > 5 is false.',
    });
    const failed = aRun({ outcome: 'failed', reason: 'The process ended.' });
    expect(verdict({ state: 'failed', outcome: 'failed', runs: [failed] })).toEqual({
      tone: 'bad',
      text: 'Failed in “Orders”: The process ended.',
    });
  });

  test('that failed is no trouble any more once somebody has discarded that', () => {
    const runs = [aRun({ outcome: 'failed', reason: 'The process ended.' })];
    expect(verdict({ state: 'failed', outcome: 'not delivered', runs })).toEqual({
      tone: 'quiet',
      text: 'Failed in “Orders”: The process ended.',
    });
    const other = aRun({ id: 'run_2', pipeline: { id: 'pipe_2', name: 'Other', version: 1 } });
    expect(verdict({ runs: [...runs, other], deliveries: [aDelivery('A')] }).tone).toBe('good');
  });

  test('that one pipeline delivered and another failed says both', () => {
    const failed = aRun({
      id: 'run_2',
      pipeline: { id: 'pipe_2', name: 'Other', version: 1 },
      outcome: 'failed',
    });
    const { tone, text } = verdict({
      outcome: 'failed',
      runs: [aRun(), failed],
      deliveries: [aDelivery('A')],
    });
    expect(tone).toBe('bad');
    expect(text).toBe('Delivered to “A”. Failed in “Other”.');
  });

  describe('that was replayed', () => {
    const runs = [aRun(), aRun({ id: 'run_2', replay: 'job_1' })];
    const again = (name: string, given: Partial<DeliveryRecord> = {}) =>
      aDelivery(name, { id: `dlv_${name}_2`, run_id: 'run_2', ...given });
    const dead = { state: 'dead', attempt: 8, code: 'timeout' } as const;
    const exhausted = 'did not answer in time, exhausted after 8 attempts.';

    test('counts neither the dead that the replay made again nor a destination twice', () => {
      const replayed = { ...dead, state: 'cancelled', replayed_by: 'dlv_A_2' } as const;
      expect(verdict({ runs, deliveries: [again('A'), aDelivery('A', replayed)] }).text).toBe(
        'Delivered to “A”.',
      );
      expect(verdict({ runs, deliveries: [again('A'), aDelivery('A')] }).text).toBe('Delivered to “A”.');
      const discarded = again('A', { state: 'cancelled' });
      expect(verdict({ runs, deliveries: [discarded, aDelivery('A', replayed)] }).text).toBe(
        'Delivered to 0 of 1 destination; “A” was cancelled.',
      );
    });

    test('counts the dead of earlier runs that are still dead, and what arrived before', () => {
      expect(verdict({ runs, deliveries: [again('B'), aDelivery('A', dead)] })).toEqual({
        tone: 'bad',
        text: `Delivered to 1 of 2 destinations; “A” ${exhausted}`,
      });
      expect(verdict({ runs, deliveries: [again('A', dead), aDelivery('A')] })).toEqual({
        tone: 'bad',
        text: `1 of 2 deliveries arrived; “A” ${exhausted}`,
      });
    });

    test('and dropped then says what had become of it as well', () => {
      const dropped = aRun({ id: 'run_2', outcome: 'dropped', replay: 'job_1' });
      const deliveries = [aDelivery('A')];
      expect(verdict({ state: 'dropped', runs: [aRun(), dropped], deliveries })).toEqual({
        tone: 'good',
        text: 'Delivered to “A”. Dropped in “Orders”.',
      });
    });
  });

  test('that waits, or that nobody listens to', () => {
    expect(verdict({ state: 'accepted' }).text).toBe('Accepted. Waiting to be processed.');
    const waiting = { until: soon(5_000), retries: 2, runs: [] };
    expect(verdict({ state: 'accepted', waiting }).text).toBe('Retrying, next attempt in 5s.');
    const stopped = {
      ...aRun({ pipeline: { id: 'pipe_1', name: 'Urgent', version: 1 } }),
      step: 1,
      steps: ['transform', 'classify'].map(kind => ({ kind, outcome: 'failed' as const, duration_ms: 1 })),
      until: soon(5_000),
      tries: ['It timed out.', 'The model answered with status 503.'].map(reason => ({ at: '', reason })),
    } as unknown as StoppedRunRecord;
    expect(verdict({ state: 'accepted', waiting: { ...waiting, runs: [stopped] } }).text).toBe(
      'Retrying step 2 (Classify) of “Urgent” after 2 attempts, next attempt in 5s: The model answered with status 503.',
    );
    expect(verdict({ state: 'unrouted', runs: [] }).tone).toBe('quiet');
    expect(verdict({}).text).toBe('Processed, but routed to no destination.');
  });
});
