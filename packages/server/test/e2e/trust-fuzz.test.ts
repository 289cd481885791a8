import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { Route } from '@sluice/contract/private-calls';
import { days } from '../../src/core/clock.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import { type Browser, dataOf, join, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createAnswerCheck } from '../support/trust/answer-check.ts';
import { readAnswerShapes, type Shape } from '../support/trust/answer-shapes.ts';
import { callCases } from '../support/trust/call-cases.ts';
import {
  bodyOnItsBase,
  createFuzzer,
  type FuzzRequest,
  requestsWith,
} from '../support/trust/fuzz-requests.ts';
import { judgeAnswers, readAnswers, readRequests } from '../support/trust/raw-answers.ts';
import { rawRequest, sendRaw } from '../support/trust/raw-requests.ts';
import { firstMessage } from '../support/trust/stream-check.ts';
import { fillOrganisation, type Tenant } from '../support/trust/tenant.ts';
import { ghosts, newWord, type Things } from '../support/trust/things.ts';

/**
 * Thousands of requests that are nearly right. None of them may fail or hang, every answer is in the envelope and in
 * the schema of its call, and none shows what another organisation has. The same seed makes the same requests:
 * SLUICE_TEST_FUZZ_SEED sets it, and SLUICE_TEST_FUZZ_REQUESTS how many are sent to each engine.
 */
const seed = Number(process.env.SLUICE_TEST_FUZZ_SEED ?? 20_261_117);
const asked = process.env.SLUICE_TEST_FUZZ_REQUESTS;
const counts = { sqlite: Number(asked ?? 17_600), postgres: Number(asked ?? 2_600) };
const AT_ONCE = 8;
const MOST_SHOWN = 20;
const RAW_COUNT = 300;
const RENEW_EVERY = 250;
/** Thousands of times as long as a request takes. */
const HANGING_MS = 30_000;

let shapes: Map<Route, Shape>;
beforeAll(async () => {
  shapes = await readAnswerShapes();
});

test('answers to bytes that no client would send are found wanting', () => {
  const post = (body: string) => `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n${body}`;
  const answer = (status: number, body: string, type = 'application/json') =>
    `HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const refusal = (code: string) => JSON.stringify({ error: { message: 'It is wrong.', code } });
  const bare = (status: number) => `HTTP/1.1 ${status} X\r\nConnection: close\r\n\r\n`;
  const right = answer(400, refusal('invalid_json'));
  const judge = (sent: string, received: string) => judgeAnswers(sent, received, createAnswerCheck(shapes));

  const sound: [string, string][] = [
    [post('{}'), right],
    [post('{}'), `HTTP/1.1 100 Continue\r\n\r\n${right}`],
    [post('{}') + post('{}'), right + right],
    [post('{}zz'), right + bare(400)],
    [post('{}zz'), bare(400)],
    [post('{}') + post('{}'), ''],
    [post('{'), ''],
    [post('{'), right],
    ['FOO / HTTP/1.1\r\n\r\n', ''],
    ['GET / HTTP/1.1\r\n\r\n', bare(400)],
  ];
  for (const [sent, received] of sound) expect(judge(sent, received), sent + received).toBeNull();
  const unsound: [string, string][] = [
    [post('{}'), ''],
    [post('{}'), right.slice(0, -1)],
    [post('{}'), bare(400)],
    [post('{}'), answer(400, 'No.', 'text/plain')],
    [post('{}'), answer(400, '{"message":"It is wrong."}')],
    [post('{}'), answer(500, refusal('internal'))],
    [post('{}'), right + right],
    [post('{}') + post('{}'), right + answer(500, refusal('internal'))],
    [post('{'), bare(500)],
    ['GET /v1/entities HTTP/1.1\r\nHost:\r\n\r\n', bare(400)],
    ['GET / HTTP/1.0\r\n\r\n', ''],
    ['GET / HTTP/1.0\r\n\r\n', answer(500, refusal('internal'))],
    [post('{'), answer(400, 'No.', 'text/plain')],
  ];
  for (const [sent, received] of unsound) expect(judge(sent, received), sent + received).toBeString();
});

test('files of lines and first messages of streams are held to what their calls are about', () => {
  const check = createAnswerCheck(shapes);
  const judge = (path: string, type: string, text: string) =>
    check({ method: 'GET', path: `/dashboard/api${path}`, status: 200, type, text });
  const entry = {
    id: 'evt_1',
    type: 'a',
    icon: null,
    state: 'processed',
    outcome: 'delivered',
    delivery_states: { delivered: 1 },
    sources: [],
    entity: null,
    timestamp: '',
    received_at: '',
  };
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const inFile = (text: string) => judge('/events/export', 'application/x-ndjson', text);
  expect(inFile('')).toBeNull();
  expect(inFile(line({ ...entry, payload: {} }).repeat(2))).toBeNull();
  for (const wrong of [
    line(entry),
    line({ ...entry, payload: {}, org_id: 'org_1' }),
    line({ ...entry, payload: {} }) + line({ ...entry, id: 1, payload: {} }),
    JSON.stringify({ ...entry, payload: {} }),
    'nothing\n',
  ])
    expect(inFile(wrong), wrong).toBeString();

  const sent = (event: string, data: unknown) => `event: ${event}\nid: 1\ndata: ${JSON.stringify(data)}`;
  const inTail = (event: string, data: unknown) =>
    judge('/live/events', 'text/event-stream', sent(event, data));
  expect(inTail('events', { rows: [entry], changed: [], skipped: 0 })).toBeNull();
  expect(inTail('events', { rows: [{ ...entry, more: 1 }], changed: [], skipped: 0 })).toBeString();
  expect(inTail('events', { rows: [] })).toBeString();
  expect(inTail('other', { rows: [], changed: [], skipped: 0 })).toBeString();

  const inStream = (event: string, data: unknown) => judge('/live', 'text/event-stream', sent(event, data));
  const call = '/events?limit=1';
  const list = { data: [entry], next_cursor: null };
  expect(inStream('answer', { call, answer: list })).toBeNull();
  expect(inStream('answer', { call: '/o/one/events', answer: list })).toBeNull();
  const error = { message: 'It is wrong.', code: 'invalid_cursor' };
  expect(inStream('refused', { call, status: 400, answer: { error } })).toBeNull();
  for (const [event, data] of [
    ['answer', { call, answer: { data: [{ ...entry, id: 1 }], next_cursor: null } }],
    ['answer', { call: '/nowhere', answer: list }],
    ['answer', { answer: list }],
    ['refused', { call, status: 404, answer: { error } }],
    ['other', { call, answer: list }],
  ] as const)
    expect(inStream(event, data), JSON.stringify(data)).toBeString();
});

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    let database: FreshDatabase | undefined;
    let service: TestService;
    let ours: Tenant;
    let theirs: Tenant;
    let hidden: string;
    let ownerId: string;
    /** An owner whose session no request ends. */
    let keeper: Browser;
    beforeAll(async () => {
      database = engine === 'postgres' ? await migratedDatabase() : undefined;
      service = await startTestService({
        settings: {
          SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
          SLUICE_ALLOW_HTTP: 'true',
          SLUICE_TRUST_PROXY: 'true',
          SLUICE_MAX_BODY_BYTES: String(256 * 1024),
          SLUICE_MAX_EVENT_BYTES: String(64 * 1024),
          ...(database ? { SLUICE_DATABASE_URL: database.url } : {}),
        },
      });
      const owner = await setUp(service);
      theirs = await fillOrganisation(
        service.url,
        await stranger(service.url, owner, 'stranger@example.com'),
      );
      ours = await fillOrganisation(service.url, owner);
      ownerId = dataOf<WhoAmI>(await owner.get('/session')).user.id;
      keeper = await join(service.url, owner, 'keeper@example.com', 'owner');
      // Under a word that no request holds, so that whoever is shown it was shown something of theirs.
      hidden = newWord();
      for (const kind of ['/keys', '/sources', '/pipelines', '/destinations'] as const) {
        dataOf(await theirs.owner.patch(`${kind}/${theirs.things.paths[kind]}`, { name: hidden }));
      }
      dataOf(
        await theirs.owner.patch(`/entities/${theirs.things.paths['/entities']}`, { traits: { hidden } }),
      );
    });
    afterAll(async () => {
      await service.stop();
      await database?.drop();
    });

    /** A session straight from storage: those of before may have been ended, or be in another organisation. */
    async function newSession(userId: string): Promise<string> {
      const token = newSecret('ses');
      const createdAt = Date.now();
      const { accounts } = service.engine;
      const { orgId } = ours;
      const member = (await accounts.listMembers(orgId)).find(one => one.userId === userId);
      const user = await accounts.findUserByEmail(member?.email ?? '');
      const expiresAt = createdAt + days(1);
      const session = { tokenHash: hashSecret(token), userId, orgId, createdAt, expiresAt };
      if (!(await accounts.beginSession(session, user?.passwordHash ?? '')))
        throw new Error('No session was begun.');
      return `sluice_session=${token}`;
    }

    /** What is asked about next: some of what was there may be gone by now. */
    async function newThings(before: Things): Promise<Things> {
      const make = async (path: string, body: object) =>
        dataOf<{ id: string; token: string }>(await keeper.post(path, body));
      const source = await make('/sources', {
        kind: 'webhook',
        name: 'n',
        auth: 'none',
        rate: { per_second: 0 },
      });
      const destination = await make('/destinations', { kind: 'inbox', name: 'n' });
      const send = ingestWith(service.url, ours.apiKey);
      const [event = ''] = acceptedIds(await send({ events: [{ type: before.eventType }] }));
      return {
        ...before,
        paths: {
          ...before.paths,
          '/keys': (await make('/keys', { name: 'n' })).id,
          '/sources': source.id,
          '/destinations': destination.id,
          '/events': event,
          '/pipelines': (await make('/pipelines', { name: 'n', enabled: false, sources: [source.id] })).id,
        },
        parameters: { ...before.parameters, token: source.token },
      };
    }

    test(`${counts[engine]} requests of the seed ${seed}`, async () => {
      console.log(`fuzzing with SLUICE_TEST_FUZZ_SEED=${seed}`);
      const check = createAnswerCheck(shapes);
      const make = createFuzzer(seed);
      const statuses = new Map<number, number>();
      const wrong: string[] = [];
      /** Those that were taken though they had to know what they are based on. */
      let based = 0;
      let cookie = await newSession(ownerId);
      // The organisation that requests are about is another one of the same owner: it may be deleted.
      const second = dataOf<{ id: string }>(await ours.owner.post('/organisations', { name: 'n' })).id;
      let own = await newThings({
        ...ours.things,
        paths: { ...ours.things.paths, '/organisations': second },
      });
      // Whoever has the code of an invitation may use it.
      const others = {
        ...theirs.things,
        paths: { ...theirs.things.paths, '/invitations': ghosts().paths['/invitations'] },
      };

      async function send(n: number): Promise<void> {
        const request = make(n, { own, others });
        const found = await outcomeOf(request).catch((error: Error) => `${error.name}: ${error.message}`);
        if (found !== null) wrong.push(`#${n} ${request.method} ${request.path.slice(0, 300)}: ${found}`);
      }

      async function outcomeOf(request: FuzzRequest): Promise<string | null> {
        const { method, path, headers, route, isKnown } = request;
        const all = new Headers([...headers.map(([name, value]): [string, string] => [name, value])]);
        all.set('X-Forwarded-For', all.get('X-Forwarded-For') ?? randomAddress());
        if (isKnown && !all.has('Cookie')) all.set('Cookie', cookie);
        if (isKnown && !all.has('Authorization')) all.set('Authorization', `Bearer ${ours.apiKey}`);
        const body = await bodyOnItsBase(request, service.url, all.get('Cookie') ?? '');
        const hangUp = new AbortController();
        const hanging = setTimeout(() => hangUp.abort(new Error('no answer')), HANGING_MS);
        try {
          const url = new URL(path, service.url);
          const response = await fetch(`${service.url}${path}`, {
            method,
            headers: all,
            body,
            signal: hangUp.signal,
          });
          const type = response.headers.get('content-type') ?? '';
          const isStream = type.startsWith('text/event-stream');
          const text = isStream ? await firstMessage(response) : await response.text();
          if (isStream) hangUp.abort();
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          if (response.ok && route !== null && callCases[route].basedOn) based++;
          const misfit = check({ method, path: url.pathname, status: response.status, type, text });
          if (misfit !== null) return `${response.status} ${misfit} ${text.slice(0, 300)}`;
          if (isKnown && (response.status === 401 || path.includes('/session/')))
            cookie = await newSession(ownerId);
          return text.includes(hidden) ? 'shows what another organisation has' : null;
        } finally {
          clearTimeout(hanging);
        }
      }

      let next = 0;
      const worker = async () => {
        while (next < counts[engine]) {
          const n = next++;
          if (n > 0 && n % RENEW_EVERY === 0) own = await newThings(own);
          await send(n);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      console.log(
        [...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, count]) => `${status}: ${count}`)
          .join(', '),
      );
      expect(wrong.slice(0, MOST_SHOWN)).toEqual([]);
      // Not all of it is refused at the first look.
      expect(statuses.get(200) ?? 0).toBeGreaterThan(counts[engine] / 20);
      expect(based).toBeGreaterThanOrEqual(Math.floor(counts[engine] / 5_000));
      const ready = await fetch(`${service.url}/readyz`);
      expect(ready.status).toBe(200);
    });

    test('a NUL in a path names nothing, though something is named as it would be stored', async () => {
      dataOf(await keeper.post('/entities', { kind: 'person', external_id: 'a\u{FFFD}b' }));
      const headers = { Authorization: `Bearer ${ours.apiKey}`, 'X-Sluice-CSRF': '1' };
      const cookie = await newSession(ownerId);
      for (const { method, path, body } of requestsWith('a%00b', ours.things)) {
        const response = await fetch(service.url + path, {
          method,
          headers: { ...headers, Cookie: cookie, 'Content-Type': 'application/json' },
          body: method === 'GET' ? null : JSON.stringify(body),
        });
        expect([400, 404], `${method} ${path}: ${await response.text()}`).toContain(response.status);
      }
    });

    test(`${RAW_COUNT} requests that no client would send`, async () => {
      const targets = [
        { path: '/v1/ingest', headers: [`Authorization: Bearer ${ours.apiKey}`] },
        { path: `/whk/${ours.things.parameters.token}`, headers: [] },
        {
          path: '/dashboard/api/keys',
          headers: [`Cookie: ${await newSession(ownerId)}`, 'X-Sluice-CSRF: 1'],
        },
      ];
      const wrong: string[] = [];
      const statuses = new Set<number>();
      const check = createAnswerCheck(shapes);
      let alone = 0;
      let next = 0;
      const worker = async () => {
        while (next < RAW_COUNT) {
          const n = next++;
          const { path, headers } = targets[n % targets.length] ?? { path: '/', headers: [] };
          const bytes = rawRequest(seed, n, path, headers);
          if (readRequests(bytes).isAlone) alone++;
          const sent = await sendRaw(service.service.port, bytes).catch((error: Error) => error);
          const received = sent instanceof Error ? '' : sent;
          for (const { status } of readAnswers(received)) statuses.add(status);
          const found = sent instanceof Error ? sent.message : judgeAnswers(bytes, received, check);
          if (found !== null)
            wrong.push(`#${n} ${JSON.stringify(bytes.slice(0, 300))}: ${found} ${received.slice(0, 300)}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(wrong.slice(0, MOST_SHOWN)).toEqual([]);
      // They come as far as the service, which tells them apart.
      expect(alone).toBeGreaterThan(RAW_COUNT / 15);
      for (const status of [400, 401, 405]) expect([...statuses]).toContain(status);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    });
  });
}

const randomAddress = (): string => `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join('.')}`;
