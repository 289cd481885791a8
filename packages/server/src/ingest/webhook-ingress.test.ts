import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { systemClock } from '../core/clock.ts';
import { createByteRoom } from '../core/http/byte-room.ts';
import type { AppendRequest } from '../core/stores/journal.ts';
import type { ActivityLog } from './activity.ts';
import type { KnownSource } from './directory.ts';
import { createHeaderKeeper } from './kept-headers.ts';
import { findPreset } from './providers/registry.ts';
import { createRateLimiter } from './rate.ts';
import { compileRules } from './reading/body-rules.ts';
import { createWebhookIngress } from './webhook-ingress.ts';

const limits = {
  bodyBytes: 64 * 1024,
  eventBytes: 16 * 1024,
  batchEvents: 10,
  nesting: 64,
  typeLength: 256,
  iconLength: 64,
  idempotencyKeyLength: 255,
};

/** The endpoint of one source of a provider, and the keys under which it had events stored. */
function open(name: string, change: Partial<KnownSource> = {}) {
  const preset = findPreset(name);
  if (preset === null) throw new Error(`There is no preset ${name}.`);
  const keys = {
    secrets: ['secret'],
    publicKey: null,
    verifyToken: 'agreed',
    verifyWith: 'bearer',
  } as const;
  const current = preset.prepare(keys, { fetchText: async () => '' });
  const source: KnownSource = {
    id: 'src_1',
    orgId: 'org_1',
    enabled: true,
    auth: 'provider',
    secret: 'secret',
    previous: null,
    rate: { perSecond: 0, burst: 0 },
    provider: { preset, current, rotating: null, url: null },
    rules: compileRules(preset.body ?? {}),
    ...change,
  };
  const accepted: AppendRequest[] = [];
  const known = new Map<string, readonly string[]>();
  const activity = { keyUsed() {}, sourceSeen() {}, refused() {} } satisfies Partial<ActivityLog>;
  const ingress = createWebhookIngress({
    directory: {
      organisationOfKey: () => null,
      sourceOfToken: () => source,
      retentionMs: async () => 0,
      invalidate() {},
    },
    activity: activity as unknown as ActivityLog,
    limits,
    room: createByteRoom(limits.bodyBytes),
    clock: systemClock,
    bodyThread: {
      readBatch: () => Promise.reject(new Error('No body here is large.')),
      readWebhook: () => Promise.reject(new Error('No body here is large.')),
      readProof: () => Promise.reject(new Error('No body here is large.')),
    },
    async accept(request) {
      accepted.push(request);
      return { kind: 'stored', events: request.events.map(({ id }) => ({ id, duplicate: false })) };
    },
    rate: createRateLimiter(systemClock),
    keepHeaders: createHeaderKeeper([], []),
    keepRefusedHeaders: createHeaderKeeper([], []),
    senderOf: () => '',
    findEventsOfKey: async (_scope, key) => known.get(key) ?? null,
    addressOf: request => request.url,
  } as Parameters<typeof createWebhookIngress>[0]);
  return {
    known,
    keys: () => accepted.map(({ idempotency }) => idempotency?.key ?? null),
    receive: (body: string, headers: Record<string, string> = {}, query = '') =>
      ingress.receive(new Request(`http://localhost/${query}`, { method: 'POST', body, headers }), 'token'),
    ask: (query: string) => ingress.answerChallenge(new Request(`http://localhost/${query}`), 'token'),
  };
}

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => null,
    error => error.code,
  );

const mailgunBody = (token: string, at = Math.floor(Date.now() / 1_000)) => {
  const signature = createHmac('sha256', 'secret').update(`${at}${token}`).digest('hex');
  return JSON.stringify({ signature: { timestamp: String(at), token, signature } });
};

test('where nothing but the id of a delivery is signed, that id is the key, whatever the request says', async () => {
  const { receive, keys } = open('mailgun');
  const body = mailgunBody('t1');
  await receive(body);
  await receive(body, { 'x-ingest-idempotency-key': 'another' });
  expect(keys()).toEqual(['t1', 't1']);
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-ingest-idempotency-key': 'third' };
  expect(await codeOf(receive(body, form))).toBe('validation_failed');
  expect(keys()).toHaveLength(2);
});

test('a signature of Mailgun counts for a day', async () => {
  const { receive } = open('mailgun');
  const hoursAgo = (hours: number) => Math.floor(Date.now() / 1_000) - hours * 3_600;
  expect((await receive(mailgunBody('t', hoursAgo(23)))).status).toBe(202);
  expect(await codeOf(receive(mailgunBody('t', hoursAgo(25))))).toBe('unauthenticated');
});

test('where the body is signed the sender’s own key comes first', async () => {
  const { receive, keys } = open('github');
  const signature = `sha256=${createHmac('sha256', 'secret').update('{}').digest('hex')}`;
  const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': 'd' };
  await receive('{}', headers);
  await receive('{}', { ...headers, 'x-ingest-idempotency-key': 'mine' });
  expect(keys()).toEqual(['d', 'mine']);
});

test('a source that is switched off says so before it looks at a challenge', async () => {
  const wrong = '?hub.challenge=1&hub.verify_token=other';
  expect(await codeOf(open('meta').ask(wrong))).toBe('unauthenticated');
  expect(await codeOf(open('meta', { enabled: false }).ask(wrong))).toBe('source_disabled');
  expect(await open('github', { enabled: false }).ask('')).toBeNull();
});

test('a list of one event is answered as a list, also where it comes again and cannot be read', async () => {
  const { receive, known } = open('azure-event-grid');
  known.set('k', ['evt_1']);
  const answer = await receive('[{"id":', { 'x-ingest-idempotency-key': 'k' }, '?code=secret');
  expect(await answer.json()).toEqual({ data: { events: [{ id: 'evt_1', duplicate: true }] } });

  const cloud = open('cloudevents');
  cloud.known.set('k', ['evt_1']);
  const again = async (contentType: string) => {
    const headers = {
      authorization: 'Bearer secret',
      'content-type': contentType,
      'x-ingest-idempotency-key': 'k',
    };
    return (await cloud.receive('[', headers)).json();
  };
  expect(await again('application/cloudevents-batch+json')).toEqual({
    data: { events: [{ id: 'evt_1', duplicate: true }] },
  });
  expect(await again('application/cloudevents+json')).toEqual({ data: { id: 'evt_1', duplicate: true } });
});
