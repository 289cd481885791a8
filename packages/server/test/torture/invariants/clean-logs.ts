import { createHmac } from 'node:crypto';
import type { FinalLine, Logs, PeopleLine, ReceiverLine, SenderLine } from '../lines.ts';
import { payloadOf } from '../payload.ts';

/** The logs of a small run in which nothing is wrong, and ways to spoil them. */

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;
export type Draft = Mutable<Logs>;
export type SentDraft = Mutable<Extract<SenderLine, { kind: 'sent' }>>;
type AnswerDraft = Mutable<Extract<SenderLine, { kind: 'answered' }>>;
type EventDraft = Mutable<Extract<FinalLine, { kind: 'event' }>>;
type FiguresDraft = Mutable<Extract<FinalLine, { kind: 'figures' }>>;

const SECRET = 'whsec_test';
const REFUSAL = '{"error":{"code":"validation_failed","message":"It must be a string.","path":"type"}}';
export const signed = (body: string, secret = SECRET) =>
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
export function cleanLogs(): Draft {
  const batch = [sentEvent(1, 0), sentEvent(1, 1, { person: 'p1' })] as const;
  const sent = (request: number, events: object[], isValid = true) =>
    ({
      ...{ kind: 'sent', at: 1_000, request, organisation: 'alpha', endpoint: 'ingest', key: `k${request}` },
      ...{ isRepeatable: true, isValid, events },
    }) as SentDraft;
  const answered = (request: number, status: number, ids: string[], duplicate = false): AnswerDraft => ({
    ...{ kind: 'answered', sentAt: 1_000, at: 1_100, request, node: 0, life: 1, status },
    events: ids.map(id => ({ id, duplicate })),
    ...{ lack: null, retryAfter: null, error: status === 202 ? null : REFUSAL },
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
    operators: [
      {
        ...{ sentAt: 2_500, at: 2_600, node: 0, life: 1, method: 'GET', path: '/events' },
        ...{ status: 200, lack: null, retryAfter: null, error: null },
      },
    ],
    lives: [
      {
        ...{ node: 0, life: 1, startedAt: 0, readyAt: 500, at: 60_000 },
        ...{ signals: [{ at: 52_000, signal: 'SIGTERM' }], trace: null, end: 0, said: '' },
      },
    ],
    receivers: [firstLine, secondLine, ...deadLines, moodLine],
    model: [{ at: 1_500, payloadId: 'torture-id-alpha-4-0', label: 'good' }],
    people: [],
    faults: [],
    failed: [],
    seen: [{ askedAt: 2_900, at: 3_000, organisation: 'alpha', delivery: 'dlv_evt_1', state: 'delivered' }],
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
          ...{ events: 4, 'events processed': 4, 'events failed': 0, deliveries: 4 },
          ...{ 'events dropped': 0, 'events unrouted': 0, 'deliveries delivered': 3, 'deliveries dead': 1 },
          ...{ 'dead letters delivery': 1, 'dead letters event': 0 },
        },
        figures: {
          ...{ 'dead letters delivery': 1, 'dead letters event': 0 },
          ...{ 'overview dead letters delivery': 1, 'overview dead letters event': 0 },
          ...{ 'backlog accepted': 0, 'backlog pending': 0, 'backlog retrying': 0, 'backlog held': 0 },
          ...{ 'overview received': 4, 'overview delivered': 3, 'overview processed': 4 },
          ...{ 'overview dropped': 0, 'overview failed': 0, 'overview unrouted': 0 },
        },
      },
    ],
    secrets: ['API key', 'secret of the destination good of alpha'].map(name => ({
      ...{ name, foundIn: [], lookedIn: ['what nodes printed'] },
    })),
    trapped: [],
  } as Draft;
}

export const answersTo = (logs: Draft, request: number) =>
  logs.senders.filter(line => line.kind === 'answered' && line.request === request) as AnswerDraft[];
export const operatorLine = (logs: Draft) => logs.operators[0] as Draft['operators'][number];
export const lifeOf = (logs: Draft) => logs.lives[0] as Draft['lives'][number];
export const eventOf = (logs: Draft, id: string) =>
  logs.final.find(line => line.kind === 'event' && line.id === id) as EventDraft;
export const deliveryOf = (logs: Draft, id: string) =>
  eventOf(logs, id).deliveries[0] as EventDraft['deliveries'][number];
export const figuresOf = (logs: Draft) => logs.final.find(line => line.kind === 'figures') as FiguresDraft;
export const lineOf = (logs: Draft, event: string) =>
  logs.receivers.find(line => line.event === event) as Mutable<ReceiverLine>;
export const drop = (logs: Draft, id: string) => {
  logs.final = logs.final.filter(line => !(line.kind === 'event' && line.id === id));
};
/** The second of three comes before the first. */
export const swapAttempts = (logs: Draft, at: number) => {
  const [first, second] = logs.receivers.filter(({ event }) => event === 'evt_3');
  Object.assign(first ?? {}, { at, attempt: 2 });
  Object.assign(second ?? {}, { at: at + 100, attempt: 1 });
};
/** A node is killed at each of these moments. */
export const killAt = (logs: Draft, ...moments: number[]) => {
  for (const at of moments)
    logs.lives.push({
      ...lifeOf(logs),
      startedAt: 0,
      at,
      signals: [{ at, signal: 'SIGKILL' }],
      end: 'SIGKILL',
    });
};
export const giveUp = (logs: Draft, id: string) => {
  const given = { outcome: 'failed', reason: 'The node that worked on this event died, 3 times in a row.' };
  Object.assign(eventOf(logs, id).runs[0] ?? {}, given);
};
/** After all of its attempts. */
export const die = (logs: Draft, id: string, status: number | null) => {
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
export const did = (what: PeopleLine['what'], id: string, at: number) => ({
  ...{ askedAt: at - 100, at, organisation: 'alpha', what, id },
});
