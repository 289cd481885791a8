import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { FinalLine, Logs, PeopleLine, ReceiverLine, SenderLine } from '../lines.ts';
import { payloadOf } from '../payload.ts';
import { judge } from './registry.ts';

/** Each invariant holds for logs in which nothing is wrong, and fails for the very thing that it is there for. */

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;
type Draft = Mutable<Logs>;
type SentDraft = Mutable<Extract<SenderLine, { kind: 'sent' }>>;
type AnswerDraft = Mutable<Extract<SenderLine, { kind: 'answered' }>>;
type EventDraft = Mutable<Extract<FinalLine, { kind: 'event' }>>;
type FiguresDraft = Mutable<Extract<FinalLine, { kind: 'figures' }>>;

const SECRET = 'whsec_test';
const signed = (body: string, secret = SECRET) =>
  `t=1,v1=${createHmac('sha256', secret).update(`1.${body}`).digest('hex')}`;

const sentEvent = (request: number, i: number, over: object = {}) => ({
  type: `torture.alpha.${request}.${i}`,
  payloadId: `torture-id-alpha-${request}-${i}`,
  route: 'good',
  passes: true,
  person: null,
  ...over,
});

/** An event that went through the main pipeline, which added this, with the request that brought it where it was meant for. */
function delivered(
  id: string,
  sent: ReturnType<typeof sentEvent>,
  made: object = {},
): [EventDraft, ReceiverLine] {
  const destination = sent.route === 'failing' ? 'failing' : 'good';
  const payload = payloadOf('alpha', sent);
  const output = { ...payload, ...made, version: 1 };
  const { type } = sent;
  const body = JSON.stringify({ type, payload: output });
  const delivery = `dlv_${id}`;
  const event: EventDraft = {
    kind: 'event',
    organisation: 'alpha',
    id,
    type,
    state: 'processed',
    isErased: false,
    payload: JSON.stringify(payload),
    runs: [
      {
        ...{ id: `run_${id}`, pipeline: 'pipe_1', version: 1, outcome: 'routed', step: null, reason: null },
        output,
      },
    ],
    deliveries: [
      {
        ...{
          id: delivery,
          destination: `dst_${destination}`,
          run: `run_${id}`,
          state: 'delivered',
          code: null,
        },
        isOutage: false,
        attempts: [{ n: 1, status: 200, code: null, body, cut: false }],
      },
    ],
  };
  const line = {
    ...{ at: 2_000, organisation: 'alpha', receiver: destination, event: id, delivery, attempt: 1 },
    ...{ signature: signed(body), body, behaviour: 'well', status: 200, took: true },
  };
  return [event, line];
}

/** A batch of two that was asked for twice, a request that was refused, a dead letter, and a mood. */
function cleanLogs(): Draft {
  const batch = [sentEvent(1, 0), sentEvent(1, 1, { person: 'p1' })] as const;
  const sent = (request: number, events: object[], isValid = true) =>
    ({
      ...{ kind: 'sent', at: 1_000, request, organisation: 'alpha', endpoint: 'ingest', key: `k${request}` },
      ...{ isRepeatable: true, isValid, events },
    }) as SentDraft;
  const answered = (request: number, status: number, ids: string[], duplicate = false): AnswerDraft => ({
    ...{ kind: 'answered', sentAt: 1_000, at: 1_100, request, node: 0, status },
    events: ids.map(id => ({ id, duplicate })),
    error: null,
  });
  const [toFail, moody] = [sentEvent(3, 0, { route: 'failing' }), sentEvent(4, 0, { route: 'mood' })];
  const [first, firstLine] = delivered('evt_1', batch[0]);
  const [second, secondLine] = delivered('evt_2', batch[1]);
  const [dead, deadLine] = delivered('evt_3', toFail);
  const [deadDelivery] = dead.deliveries;
  const deadLines = [1, 2, 3].map(attempt => ({
    ...deadLine,
    attempt,
    status: 500,
    took: false,
    signature: null,
  }));
  if (deadDelivery) {
    deadDelivery.state = 'dead';
    deadDelivery.code = 'bad_status';
    deadDelivery.attempts = [1, 2, 3].map(n => ({
      ...{ n, status: 500, code: 'bad_status', body: deadLine.body, cut: false },
    }));
  }
  const [mood, moodLine] = delivered('evt_4', moody, { mood: 'good' });
  return {
    senders: [
      sent(1, [...batch]),
      answered(1, 202, ['evt_1', 'evt_2']),
      answered(1, 202, ['evt_1', 'evt_2'], true),
      sent(2, [sentEvent(2, 0)], false),
      answered(2, 400, []),
      sent(3, [toFail]),
      answered(3, 202, ['evt_3']),
      sent(4, [moody]),
      answered(4, 202, ['evt_4']),
    ],
    receivers: [firstLine, secondLine, ...deadLines, moodLine],
    model: [{ at: 1_500, payloadId: 'torture-id-alpha-4-0', label: 'good' }],
    people: [],
    faults: [],
    seen: [{ at: 3_000, organisation: 'alpha', delivery: 'dlv_evt_1', state: 'delivered' }],
    setUp: [
      {
        organisation: 'alpha',
        id: 'org_1',
        destinations: [
          { id: 'dst_good', name: 'good', kind: 'webhook', attempts: 6, secret: SECRET },
          { id: 'dst_failing', name: 'failing', kind: 'webhook', attempts: 3, secret: null },
        ],
      },
    ],
    final: [
      ...[first, second, dead, mood],
      { kind: 'version', organisation: 'alpha', pipeline: 'pipe_1', version: 1, revision: 1 },
      { kind: 'backlog', organisation: 'alpha', waiting: { accepted: 0, pending: 0 } },
      {
        kind: 'figures',
        organisation: 'alpha',
        lists: {
          ...{ events: 4, 'events processed': 4, deliveries: 4, 'deliveries delivered': 3 },
          ...{ 'deliveries dead': 1, 'dead letters delivery': 1, 'dead letters event': 0 },
        },
        figures: {
          ...{ 'dead letters delivery': 1, 'overview dead letters delivery': 1 },
          ...{ 'overview received': 4, 'overview delivered': 3 },
        },
      },
    ],
    secrets: ['API key', 'secret of the destination good of alpha'].map(name => ({
      ...{ name, foundIn: [], lookedIn: ['what nodes printed'] },
    })),
    trapped: [],
  } as Draft;
}

const answersTo = (logs: Draft, request: number) =>
  logs.senders.filter(line => line.kind === 'answered' && line.request === request) as AnswerDraft[];
const eventOf = (logs: Draft, id: string) =>
  logs.final.find(line => line.kind === 'event' && line.id === id) as EventDraft;
const deliveryOf = (logs: Draft, id: string) =>
  eventOf(logs, id).deliveries[0] as EventDraft['deliveries'][number];
const figuresOf = (logs: Draft) => logs.final.find(line => line.kind === 'figures') as FiguresDraft;
const lineOf = (logs: Draft, event: string) =>
  logs.receivers.find(line => line.event === event) as Mutable<ReceiverLine>;
const drop = (logs: Draft, id: string) => {
  logs.final = logs.final.filter(line => !(line.kind === 'event' && line.id === id));
};
/** The second of three comes before the first. */
const swapAttempts = (logs: Draft, at: number) => {
  const [first, second] = logs.receivers.filter(({ event }) => event === 'evt_3');
  Object.assign(first ?? {}, { at, attempt: 2 });
  Object.assign(second ?? {}, { at: at + 100, attempt: 1 });
};
const giveUp = (logs: Draft, id: string) => {
  const given = { outcome: 'failed', reason: 'The node that worked on this event died, 3 times in a row.' };
  Object.assign(eventOf(logs, id).runs[0] ?? {}, given);
};
/** After all of its attempts. */
const die = (logs: Draft, id: string, status: number | null) => {
  const delivery = deliveryOf(logs, id);
  const code = status === null ? 'timeout' : 'bad_status';
  const attempts = [1, 2, 3, 4, 5, 6].map(n => ({
    n,
    status,
    code,
    body: lineOf(logs, id).body,
    cut: false,
  }));
  Object.assign(delivery, { state: 'dead', code, attempts });
};
const did = (what: PeopleLine['what'], id: string, at: number) => ({
  ...{ askedAt: at - 100, at, organisation: 'alpha', what, id },
});

test('logs in which nothing is wrong break nothing', () => {
  expect(judge(cleanLogs()).flatMap(({ broken }) => broken)).toEqual([]);
});

const planted: [string, string, (logs: Draft) => void][] = [
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
      logs.seen = [{ at: 3_000, organisation: 'alpha', delivery: 'dlv_evt_1', state: 'dead' }];
      for (let at = 4_000; at < 12_000; at += 1_000)
        logs.faults.push({ at, until: at, kind: 'kill', met: true, detail: 'node 0' });
    },
  ],
  [
    'dead letters',
    'a delivery that died of an answer which its receiver never gives',
    logs => {
      for (let at = 2_000; at < 9_000; at += 1_000)
        logs.faults.push({ at, until: at, kind: 'kill', met: true, detail: 'node 0' });
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
    logs => void logs.seen.push({ at: 1, organisation: 'alpha', delivery: 'dlv_evt_1', state: 'dead' }),
  ],
  [
    'final states',
    'a delivery that was seen and is gone',
    logs => void logs.seen.push({ at: 1, organisation: 'alpha', delivery: 'dlv_gone', state: 'dead' }),
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
    'figures',
    'a list by state that lacks something',
    logs => {
      figuresOf(logs).lists['events processed'] = 3;
    },
  ],
  [
    'figures',
    'a summary of other dead letters than there are',
    logs => {
      figuresOf(logs).figures['dead letters delivery'] = 2;
    },
  ],
  [
    'figures',
    'a backlog that is none',
    logs => {
      figuresOf(logs).figures['backlog pending'] = 1;
    },
  ],
  [
    'figures',
    'more received than there is',
    logs => {
      figuresOf(logs).figures['overview received'] = 5;
    },
  ],
  [
    'figures',
    'more delivered than there is',
    logs => {
      figuresOf(logs).figures['overview delivered'] = 4;
    },
  ],
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

test('an event that was erased while it was being accepted is missed by nobody; one that nobody asked to erase is', () => {
  const logs = cleanLogs();
  Object.assign(eventOf(logs, 'evt_2'), { isErased: true, payload: '{}', runs: [], deliveries: [] });
  logs.receivers = logs.receivers.filter(({ event }) => event !== 'evt_2');
  const endings = () => judge(logs).find(({ name }) => name === 'endings')?.broken ?? [];
  expect(endings()).not.toEqual([]);
  logs.people.push({ askedAt: 1_050, at: 1_200, organisation: 'alpha', what: 'erase', id: 'p1' });
  expect(endings()).toEqual([]);
});

test('what was on its way when a pause was answered is no violation, nor what a frozen node still had', () => {
  const logs = cleanLogs();
  logs.people.push(did('pause', 'dst_good', 3_000));
  logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 4_000 });
  logs.faults.push({ at: 3_500, until: 18_000, kind: 'freeze', met: true, detail: 'node 1' });
  logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 18_500 });
  expect(judge(logs).find(({ name }) => name === 'withdrawn')?.broken).toEqual([]);
});

test('a node that was stopped while others went on may end its attempt when it wakes', () => {
  const logs = cleanLogs();
  logs.faults.push({ at: 1_000, until: 9_000, kind: 'freeze', met: true, detail: 'node 1' });
  swapAttempts(logs, 10_000);
  expect(judge(logs).find(({ name }) => name === 'attempts')?.broken).toEqual([]);
});

test('an event may be given up where faults befell it often enough', () => {
  const logs = cleanLogs();
  giveUp(logs, 'evt_1');
  const endings = () => judge(logs).find(({ name }) => name === 'endings')?.broken ?? [];
  logs.faults.push({ at: 500, until: 500, kind: 'kill', met: true, detail: 'before it was sent' });
  logs.faults.push({ at: 1_200, until: 1_200, kind: 'kill', met: true, detail: 'node 0' });
  expect(endings()).not.toEqual([]);
  logs.faults.push({ at: 1_400, until: 1_400, kind: 'kill', met: true, detail: 'node 0' });
  expect(endings()).toEqual([]);
});

test('what a receiver that is always well never answered may be dead where faults befell every attempt', () => {
  const logs = cleanLogs();
  die(logs, 'evt_1', null);
  const deadLetters = () => judge(logs).find(({ name }) => name === 'dead letters')?.broken ?? [];
  for (let at = 2_000; at < 6_000; at += 1_000)
    logs.faults.push({ at, until: at, kind: 'kill', met: true, detail: 'node 0' });
  expect(deadLetters()).not.toEqual([]);
  logs.faults.push({ at: 6_000, until: 6_000, kind: 'kill', met: true, detail: 'node 0' });
  expect(deadLetters()).toEqual([]);
});
