import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import {
  type Answer,
  acceptedId,
  expectRefused,
  post,
  storedEvents,
  storedPayload,
} from '../support/endpoints.ts';
import { exchange } from '../support/raw-http.ts';
import {
  type Seed,
  type SeededSource,
  seedOrganisation,
  startTestService,
  type TestService,
} from '../support/service.ts';

let service: TestService;
let seed: Seed;
let source: SeededSource;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  seed = await seedOrganisation(service.engine);
  source = await seed.source('none');
});

const send = (body: string, key: string, to: { token: string } = source) =>
  post(`${service.url}/whk/${to.token}`, body, { 'X-Ingest-Idempotency-Key': key });
const isDuplicate = (answer: Answer) => (answer.body as { data: { duplicate: boolean } }).data.duplicate;
const stored = async () => (await storedEvents(service.engine, seed.orgId)).length;

test('a retry is answered with the first id', async () => {
  const [first, retry] = [await send('{"a":1}', 'k'), await send('{"a":1}', 'k')];
  expect(first.body).toEqual({ data: { id: acceptedId(first), duplicate: false } });
  expect(retry.body).toEqual({ data: { id: acceptedId(first), duplicate: true } });
  expect(await stored()).toBe(1);
});

test('whatever the body: the first one stands', async () => {
  const first = await send('{"a":1}', 'k');
  const retry = await send('{"a":2}', 'k');
  expect([retry.status, acceptedId(retry), isDuplicate(retry)]).toEqual([202, acceptedId(first), true]);
  expect(await storedPayload(service.engine, seed.orgId, acceptedId(first))).toBe('{"a":1}');
});

test('whatever the body, also one that could not be read', async () => {
  const first = await send('{"a":1}', 'k');
  const bodies: [string, Record<string, string>][] = [
    ['{', {}],
    ['<order/>', { 'Content-Type': 'application/xml' }],
    ['{}', { 'Content-Encoding': 'gzip' }],
    [`"${'x'.repeat(1024 * 1024)}"`, {}],
  ];
  for (const [body, headers] of bodies) {
    const retry = await post(`${service.url}/whk/${source.token}`, body, {
      'X-Ingest-Idempotency-Key': 'k',
      ...headers,
    });
    expect(retry.body).toEqual({ data: { id: acceptedId(first), duplicate: true } });
    expect(retry.status).toBe(202);
  }
  expect(await stored()).toBe(1);
});

test('the key belongs to the source', async () => {
  const other = await seed.source('none');
  await send('{}', 'k');
  expect(isDuplicate(await send('{}', 'k', other))).toBe(false);
  expect(await stored()).toBe(2);
});

test('a refused request spends no key', async () => {
  for (const _twice of [1, 2]) expectRefused(await send('{', 'k'), { status: 400, code: 'invalid_json' });
  expect(isDuplicate(await send('{}', 'k'))).toBe(false);
});

test('no key: every POST is an event of its own', async () => {
  for (let n = 0; n < 3; n++) await post(`${service.url}/whk/${source.token}`, '{"id":1}');
  expect(await stored()).toBe(3);
});

test('fifty requests that race with one key make one event', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => send(`{"n":${n}}`, 'race')));
  expect(new Set(answers.map(acceptedId)).size).toBe(1);
  expect(answers.filter(answer => !isDuplicate(answer))).toHaveLength(1);
  expect(await stored()).toBe(1);
});

const wrong: [string, string | Uint8Array][] = [
  ['empty', ''],
  ['256 characters', 'x'.repeat(256)],
  ['a tab inside', 'a\tb'],
  ['no-break spaces around it', Buffer.from('\xa0kk\xa0', 'latin1')],
  ['UTF-8', Buffer.from('clé')],
];
for (const [name, key] of wrong) {
  test(`a key is refused and nothing stored: ${name}`, async () => {
    const answer = await exchange(
      service.service.port,
      Buffer.concat([
        Buffer.from(
          `POST /whk/${source.token} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-Ingest-Idempotency-Key: `,
        ),
        Buffer.from(key),
        Buffer.from('\r\n\r\n{}'),
      ]),
    );
    expectRefused(
      { ...answer, body: JSON.parse(answer.body) },
      { status: 400, code: 'validation_failed', path: 'X-Ingest-Idempotency-Key' },
    );
    expect(await stored()).toBe(0);
  });
}

test('a key with control bytes is refused, whoever refuses it, and nothing stored', async () => {
  for (const control of ['\x00', '\x01', '\x1b', '\x7f']) {
    const { status } = await exchange(
      service.service.port,
      `POST /whk/${source.token} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-Ingest-Idempotency-Key: a${control}\r\n\r\n{}`,
    );
    expect(status).toBe(400);
  }
  expect(await stored()).toBe(0);
});
