import { expect, test } from 'bun:test';
import {
  answersTo,
  cleanLogs,
  type Draft,
  deliveryOf,
  did,
  die,
  drop,
  eventOf,
  giveUp,
  killAt,
  lineOf,
  type SentDraft,
  signed,
  swapAttempts,
} from './clean-logs.ts';
import { plantedAtNodes } from './planted-at-nodes.ts';
import { plantedFigures } from './planted-figures.ts';
import { plantedMessages } from './planted-messages.ts';
import { judge } from './registry.ts';

/** Each invariant holds for logs in which nothing is wrong, and fails for the very thing that it is there for. */

test('logs in which nothing is wrong break nothing', () => {
  expect(judge(cleanLogs()).flatMap(({ broken }) => broken)).toEqual([]);
});

const planted: [string, string, (logs: Draft) => void][] = [
  ...plantedAtNodes,
  ...plantedFigures,
  ['accepted', 'an acknowledged event that is lost', logs => drop(logs, 'evt_1')],
  [
    'accepted',
    'an id that stands for another event',
    logs => {
      eventOf(logs, 'evt_1').type = 'torture.alpha.9.0';
    },
  ],
  [
    'accepted',
    'an event that is stored with something else in it than was sent',
    logs => {
      const event = eventOf(logs, 'evt_1');
      event.payload = JSON.stringify({ ...JSON.parse(event.payload), passes: false });
    },
  ],
  [
    'accepted',
    'an id that only a repeated request was answered with',
    logs => {
      answersTo(logs, 1)[1]?.events.splice(0, 1, { id: 'evt_other', duplicate: true });
    },
  ],
  [
    'refused',
    'a refused event that is stored',
    logs => {
      logs.final.push({ ...eventOf(logs, 'evt_1'), id: 'evt_9', type: 'torture.alpha.2.0', deliveries: [] });
    },
  ],
  [
    'refused',
    'a right request that was refused',
    logs => {
      Object.assign(answersTo(logs, 3)[0] ?? {}, { status: 409, events: [] });
    },
  ],
  [
    'refused',
    'a wrong request that was accepted',
    logs => {
      Object.assign(answersTo(logs, 2)[0] ?? {}, { status: 202 });
    },
  ],
  [
    'refused',
    'a wrong request that got no answer and is stored',
    logs => {
      Object.assign(answersTo(logs, 2)[0] ?? {}, { status: null });
      logs.final.push({ ...eventOf(logs, 'evt_1'), id: 'evt_9', type: 'torture.alpha.2.0', deliveries: [] });
    },
  ],
  [
    'keys',
    'a key with two events',
    logs => {
      logs.final.push({ ...eventOf(logs, 'evt_1'), id: 'evt_9', deliveries: [] });
    },
  ],
  [
    'keys',
    'a key that was answered with two ids',
    logs => {
      answersTo(logs, 1)[1]?.events.splice(0, 1, { id: 'evt_3', duplicate: true });
    },
  ],
  [
    'keys',
    'a key that was called new twice',
    logs => {
      for (const event of answersTo(logs, 1)[1]?.events ?? []) event.duplicate = false;
    },
  ],
  ['batches', 'half a batch', logs => drop(logs, 'evt_2')],
  [
    'endings',
    'an event that is still accepted',
    logs => {
      eventOf(logs, 'evt_1').state = 'accepted';
    },
  ],
  [
    'endings',
    'a delivery that is still under way',
    logs => {
      deliveryOf(logs, 'evt_1').state = 'delivering';
    },
  ],
  [
    'endings',
    'a drop that names no step',
    logs => {
      Object.assign(eventOf(logs, 'evt_1').runs[0] ?? {}, { outcome: 'dropped', step: null });
    },
  ],
  [
    'endings',
    'an event that reached nobody',
    logs => {
      eventOf(logs, 'evt_1').deliveries = [];
    },
  ],
  [
    'endings',
    'an event that reached somebody else',
    logs => {
      deliveryOf(logs, 'evt_1').destination = 'dst_failing';
    },
  ],
  [
    'endings',
    'a failure without a reason',
    logs => {
      Object.assign(eventOf(logs, 'evt_1').runs[0] ?? {}, { outcome: 'failed', reason: null });
    },
  ],
  ['endings', 'an event that was given up though no fault befell it', logs => giveUp(logs, 'evt_1')],
  [
    'endings',
    'an event that was given up before the faults that would excuse it',
    logs => {
      giveUp(logs, 'evt_1');
      logs.failed.push({ at: 3_000, event: 'evt_1' });
      killAt(logs, 4_000, 5_000, 6_000, 7_000, 8_000);
    },
  ],
  [
    'dead letters',
    'a delivery that died again before the faults that would excuse it',
    logs => {
      die(logs, 'evt_1', null);
      const seen = { organisation: 'alpha', delivery: 'dlv_evt_1', state: 'dead' };
      logs.people.push(did('retry', 'dlv_evt_1', 2_500));
      logs.seen = [{ askedAt: 2_900, at: 3_000, ...seen }];
      killAt(logs, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000);
    },
  ],
  [
    'endings',
    'an event that goes to one destination twice',
    logs => {
      const event = eventOf(logs, 'evt_1');
      event.deliveries.push({ ...deliveryOf(logs, 'evt_1'), id: 'dlv_again' });
    },
  ],
  [
    'endings',
    'twins that were both sent',
    logs => {
      const sent = logs.senders.find(line => line.kind === 'sent' && line.request === 1) as SentDraft;
      for (const event of sent.events) event.payloadId = 'torture-id-alpha-1-0';
    },
  ],
  [
    'delivered',
    'a delivery that its receiver never took',
    logs => {
      Object.assign(lineOf(logs, 'evt_1'), { status: 500, took: false });
    },
  ],
  [
    'bytes',
    'a signature of other bytes',
    logs => {
      lineOf(logs, 'evt_1').signature = signed('something else');
    },
  ],
  [
    'bytes',
    'other bytes than are recorded',
    logs => {
      const line = lineOf(logs, 'evt_1');
      line.body = `${line.body} `;
      line.signature = signed(line.body);
    },
  ],
  [
    'bytes',
    'something else than the pipeline made',
    logs => {
      Object.assign(eventOf(logs, 'evt_1').runs[0] ?? {}, { output: { id: 'another' } });
    },
  ],
  ...plantedMessages,
  ['attempts', 'an attempt that comes after a later one', logs => swapAttempts(logs, 2_000)],
  [
    'attempts',
    'an attempt that comes after a later one, long after a fault',
    logs => {
      logs.faults.push({ at: 1_000, until: 4_000, kind: 'freeze', met: true, detail: 'node 1' });
      swapAttempts(logs, 10_000);
    },
  ],
  [
    'attempts',
    'an id of a delivery that came with another event',
    logs => {
      Object.assign(logs.receivers.find(({ attempt }) => attempt === 3) ?? {}, { event: 'evt_1' });
    },
  ],
  [
    'attempts',
    'a delivery that nobody knows of',
    logs => {
      logs.receivers.push({ ...lineOf(logs, 'evt_1'), delivery: 'dlv_unknown' });
    },
  ],
  [
    'attempts',
    'a recorded attempt that never came',
    logs => {
      logs.receivers = logs.receivers.filter(({ attempt }) => attempt !== 2);
    },
  ],
  [
    'dead letters',
    'a delivery that died too early',
    logs => {
      deliveryOf(logs, 'evt_3').attempts.pop();
    },
  ],
  [
    'dead letters',
    'a delivery that died although it arrived',
    logs => {
      Object.assign(deliveryOf(logs, 'evt_3').attempts[2] ?? {}, { code: null });
    },
  ],
  [
    'dead letters',
    'a delivery that died without an answer of a receiver that is always well',
    logs => die(logs, 'evt_1', null),
  ],
  [
    'dead letters',
    'a delivery that died before the faults that would excuse it',
    logs => {
      die(logs, 'evt_1', null);
      logs.seen = [
        { askedAt: 2_900, at: 3_000, organisation: 'alpha', delivery: 'dlv_evt_1', state: 'dead' },
      ];
      killAt(logs, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000);
    },
  ],
  [
    'dead letters',
    'a delivery that died of an answer which its receiver never gives',
    logs => {
      killAt(logs, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000);
      die(logs, 'evt_1', 500);
    },
  ],
  [
    'dead letters',
    'a delivery that was cancelled, and nobody asked',
    logs => {
      deliveryOf(logs, 'evt_1').state = 'cancelled';
    },
  ],
  [
    'tenants',
    'an event at the receiver of another organisation',
    logs => {
      lineOf(logs, 'evt_1').organisation = 'beta';
    },
  ],
  [
    'tenants',
    'an event in the list of another organisation',
    logs => {
      logs.final.push({ ...eventOf(logs, 'evt_1'), organisation: 'beta', id: 'evt_9', deliveries: [] });
    },
  ],
  [
    'withdrawn',
    'a long run in which no pause could be judged',
    logs => {
      const [sent] = logs.senders;
      if (sent) logs.senders.push({ ...sent, at: 400_000 });
    },
  ],
  [
    'withdrawn',
    'a request after a pause',
    logs => {
      logs.people.push(did('pause', 'dst_good', 3_000));
      logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 20_000 });
    },
  ],
  [
    'withdrawn',
    'a request after a pause, too late for two faults that went on at the same time',
    logs => {
      logs.people.push(did('pause', 'dst_good', 3_000));
      for (const kind of ['freeze', 'postgres-kill'])
        logs.faults.push({ at: 3_500, until: 9_000, kind, met: true, detail: '' });
      logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 18_000 });
    },
  ],
  [
    'withdrawn',
    'a request after a delete',
    logs => {
      logs.people.push(did('delete-destination', 'dst_good', 3_000));
      logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 20_000 });
    },
  ],
  [
    'withdrawn',
    'a request after a discard',
    logs => {
      logs.people.push(did('discard', 'dlv_evt_1', 3_000));
      logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 20_000 });
    },
  ],
  [
    'withdrawn',
    'a request after its organisation was deleted',
    logs => {
      logs.people.push(did('delete-organisation', 'org_1', 3_000));
      logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 20_000 });
    },
  ],
  [
    'withdrawn',
    'a 202 after its organisation was deleted',
    logs => {
      logs.people.push(did('delete-organisation', 'org_1', 3_000));
      Object.assign(answersTo(logs, 3)[0] ?? {}, { sentAt: 20_000, at: 20_100 });
    },
  ],
  [
    'withdrawn',
    'a request after an erasure',
    logs => {
      logs.people.push(did('erase', 'p1', 3_000));
      Object.assign(eventOf(logs, 'evt_2'), { isErased: true, payload: '{}', runs: [], deliveries: [] });
      logs.receivers.push({ ...lineOf(logs, 'evt_2'), at: 20_000 });
    },
  ],
  [
    'withdrawn',
    'an erased event that is still there',
    logs => void logs.people.push(did('erase', 'p1', 3_000)),
  ],
  ['addresses', 'a connection into the trap', logs => void logs.trapped.push({ at: 1, from: '127.0.0.1' })],
  [
    'final states',
    'a delivery that was dead and is delivered, and nobody retried it',
    logs =>
      void logs.seen.push({ askedAt: 1, at: 1, organisation: 'alpha', delivery: 'dlv_evt_1', state: 'dead' }),
  ],
  [
    'final states',
    'a delivery that was seen and is gone',
    logs =>
      void logs.seen.push({ askedAt: 1, at: 1, organisation: 'alpha', delivery: 'dlv_gone', state: 'dead' }),
  ],
  [
    'drained',
    'something that waits for ever',
    logs => void logs.final.push({ kind: 'backlog', organisation: 'alpha', waiting: { retrying: 1 } }),
  ],
  [
    'drained',
    'a backlog that nobody looked at',
    logs => {
      logs.final = logs.final.filter(({ kind }) => kind !== 'backlog');
    },
  ],
  [
    'secrets',
    'a secret in a log',
    logs => void logs.secrets.push({ name: 'token', foundIn: ['what nodes printed'], lookedIn: [] }),
  ],
  [
    'secrets',
    'secrets that nobody looked for',
    logs => {
      logs.secrets = [];
    },
  ],
  ['secrets', 'the secret of a destination that nobody looked for', logs => void logs.secrets.pop()],
  [
    'labels',
    'a label that the model did not give',
    logs => {
      Object.assign(logs.model[0] ?? {}, { label: 'bad' });
    },
  ],
  [
    'labels',
    'a label that is not allowed, though the model gave it',
    logs => {
      Object.assign(logs.model[0] ?? {}, { label: 'furious' });
      const line = lineOf(logs, 'evt_4');
      line.body = line.body.replace('"mood":"good"', '"mood":"furious"');
    },
  ],
  [
    'versions',
    'an event that shows another version than it saw',
    logs => {
      logs.final.push({
        kind: 'version',
        organisation: 'alpha',
        pipeline: 'pipe_1',
        version: 2,
        revision: 7,
      });
      Object.assign(eventOf(logs, 'evt_1').runs[0] ?? {}, { version: 2 });
    },
  ],
];

test.each(planted)('%s: %s is found', (name, _what, plant) => {
  const logs = cleanLogs();
  plant(logs);
  const broken = judge(logs).find(verdict => verdict.name === name)?.broken ?? [];
  expect(broken.length).toBeGreaterThan(0);
});

test('every invariant has a violation planted', () => {
  const names = new Set(planted.map(([name]) => name));
  expect(judge(cleanLogs()).map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
  expect(judge(cleanLogs()).filter(({ name }) => !names.has(name))).toEqual([]);
});
