import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { days } from '../../src/core/clock.ts';
import {
  type Answer,
  acceptedIds,
  expectRefused,
  ingestWith,
  post,
  storedEvents,
} from '../support/endpoints.ts';
import { exchange } from '../support/raw-http.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let seed: Seed;
let ingest: ReturnType<typeof ingestWith>;
// In the past, so that moving it on never makes ids that are ahead of other tests' clocks.
let now = Date.now() - days(31);

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  seed = await seedOrganisation(service.engine);
  ingest = ingestWith(service.url, seed.apiKey);
});

const key = (value: string) => ({ 'X-Ingest-Idempotency-Key': value });
const body = '{"events":[{"type":"a"},{"type":"b"}]}';
const duplicates = (answer: Answer) =>
  (answer.body as { data: { events: { duplicate: boolean }[] } }).data.events.map(event => event.duplicate);
const stored = async () => (await storedEvents(service.engine, seed.orgId)).length;

describe('the idempotency key', () => {
  test('answers a retry with the first ids, and stores nothing more', async () => {
    const first = await ingest(body, key('k'));
    const retry = await ingest(body, key('k'));
    expect(acceptedIds(retry)).toEqual(acceptedIds(first));
    expect([duplicates(first), duplicates(retry)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(await stored()).toBe(2);
  });

  test('refuses another body under the same key', async () => {
    await ingest(body, key('k'));
    for (const other of ['{"events":[{"type":"a"}]}', `${body} `]) {
      expectRefused(await ingest(other, key('k')), { status: 409, code: 'idempotency_conflict' });
    }
    expect(await stored()).toBe(2);
  });

  test('compares bodies after decompression', async () => {
    const first = await ingest(body, key('k'));
    const zipped = await ingest(gzipSync(body), { ...key('k'), 'Content-Encoding': 'gzip' });
    expect(acceptedIds(zipped)).toEqual(acceptedIds(first));
  });

  test('is trimmed, and case counts', async () => {
    const first = await ingest(body, key('k'));
    // Over a bare socket, since clients clean headers up.
    const { body: answer } = await exchange(
      service.service.port,
      `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${seed.apiKey}\r\nContent-Length: ${body.length}\r\nX-Ingest-Idempotency-Key: \t k\t \r\n\r\n${body}`,
    );
    const again = acceptedIds(first).map(id => ({ id, duplicate: true }));
    expect(JSON.parse(answer)).toEqual({ data: { events: again } });
    expect(duplicates(await ingest(body, key('K')))).toEqual([false, false]);
  });

  test('belongs to the organisation', async () => {
    const other = await seedOrganisation(service.engine);
    await ingest(body, key('k'));
    const elsewhere = await ingestWith(service.url, other.apiKey)(body, key('k'));
    expect(duplicates(elsewhere)).toEqual([false, false]);
  });

  test('is not shared with the webhook endpoint', async () => {
    const source = await seed.source('none');
    await ingest(body, key('k'));
    const webhook = await post(`${service.url}/whk/${source.token}`, '{}', key('k'));
    expect(webhook.body).toMatchObject({ data: { duplicate: false } });
  });

  test('is not spent by a request that is refused', async () => {
    expectRefused(await ingest('{"events":[{"type":""}]}', key('k')), {
      status: 400,
      code: 'validation_failed',
      path: 'events[0].type',
    });
    expectRefused(await ingest('{', key('k')), { status: 400, code: 'invalid_json' });
    expect(duplicates(await ingest(body, key('k')))).toEqual([false, false]);
  });

  test('gives one event and one id to fifty requests that race', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ingest(body, key('race'))));
    const [first = ''] = answers.map(answer => acceptedIds(answer).join());
    expect(new Set(answers.map(answer => acceptedIds(answer).join()))).toEqual(new Set([first]));
    expect(answers.filter(answer => duplicates(answer).every(duplicate => !duplicate))).toHaveLength(1);
    expect(await stored()).toBe(2);
  });

  test('lets one of fifty racing bodies win, and refuses the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => ingest(`{"events":[{"type":"t${n}"}]}`, key('race'))),
    );
    const statuses = answers.map(answer => answer.status).sort();
    expect(statuses).toEqual([202, ...Array(49).fill(409)]);
    expect(await stored()).toBe(1);
  });

  test('lives as long as the retention, from its first use', async () => {
    await ingest(body, key('k'));
    now += days(29);
    expect(duplicates(await ingest(body, key('k')))).toEqual([true, true]);
    now += days(1);
    expect(duplicates(await ingest(body, key('k')))).toEqual([false, false]);
  });

  test('may be 255 printable characters, blanks inside', async () => {
    const longest = `a ~!${'x'.repeat(251)}`;
    const first = await ingest(body, key(longest));
    expect(acceptedIds(await ingest(body, key(longest)))).toEqual(acceptedIds(first));
  });

  const wrong: [string, string | Uint8Array][] = [
    ['empty', ''],
    ['blank', '   '],
    ['256 characters', 'x'.repeat(256)],
    ['a tab inside', 'a\tb'],
    ['no-break spaces around it', Buffer.from('\xa0kk\xa0', 'latin1')],
    ['a byte beyond ASCII', Buffer.from([0x61, 0xe4])],
    ['UTF-8', Buffer.from('schlüssel')],
    ['a DEL', 'a\x7fb'],
  ];
  for (const [name, value] of wrong) {
    test(`is refused: ${name}`, async () => {
      const answer = await exchange(
        service.service.port,
        Buffer.concat([
          Buffer.from(
            `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${seed.apiKey}\r\nContent-Length: ${body.length}\r\nX-Ingest-Idempotency-Key: `,
          ),
          Buffer.from(value),
          Buffer.from(`\r\n\r\n${body}`),
        ]),
      );
      expectRefused(
        { ...answer, body: JSON.parse(answer.body) },
        { status: 400, code: 'validation_failed', path: 'X-Ingest-Idempotency-Key' },
      );
      expect(await stored()).toBe(0);
    });
  }

  test('with control bytes never reaches storage, whoever refuses it', async () => {
    for (const control of ['\x00', '\x01', '\x1f', '\r', '\n']) {
      const { status } = await exchange(
        service.service.port,
        `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${seed.apiKey}\r\nContent-Length: ${body.length}\r\nX-Ingest-Idempotency-Key: a${control}b\r\n\r\n${body}`,
      );
      expect(status).toBe(400);
    }
    expect(await stored()).toBe(0);
  });
});

describe('the sender’s own id', () => {
  const event = (id: string, type = 'a') => ({ type, id });

  test('makes one event of two in a batch: the first stands', async () => {
    const answer = await ingest({ events: [event('x', 'first'), event('x', 'second'), event('y')] });
    const [first, second, third] = acceptedIds(answer);
    expect(second).toBe(first ?? '');
    expect(third).not.toBe(first ?? '');
    expect(duplicates(answer)).toEqual([false, true, false]);
    expect((await storedEvents(service.engine, seed.orgId)).map(({ type }) => type)).toEqual(['a', 'first']);
  });

  test('makes one event of two batches, the rest of the second is stored', async () => {
    const [first] = acceptedIds(await ingest({ events: [event('x', 'first')] }));
    const answer = await ingest({ events: [event('new'), event('x', 'other')] });
    expect(acceptedIds(answer)[1]).toBe(first ?? '');
    expect(duplicates(answer)).toEqual([false, true]);
    expect(await stored()).toBe(2);
  });

  test('is unique per organisation, not beyond', async () => {
    const other = await seedOrganisation(service.engine);
    await ingest({ events: [event('x')] });
    expect(duplicates(await ingestWith(service.url, other.apiKey)({ events: [event('x')] }))).toEqual([
      false,
    ]);
  });

  test('is kept exactly: case, blanks and look-alikes make a difference', async () => {
    const ids = ['x', 'X', ' x', 'x ', 'é', 'e\u0301', '1', '01'];
    const answer = await ingest({ events: ids.map(id => event(id)) });
    expect(duplicates(answer)).toEqual(ids.map(() => false));
    expect((await storedEvents(service.engine, seed.orgId)).map(({ senderId }) => senderId)).toEqual(
      ids.toReversed(),
    );
  });

  test('gives one id to fifty batches that race', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => ingest({ events: [event('race'), event(`own ${n}`)] })),
    );
    expect(new Set(answers.map(answer => acceptedIds(answer)[0])).size).toBe(1);
    expect(answers.filter(answer => duplicates(answer)[0] === false)).toHaveLength(1);
    expect(await stored()).toBe(51);
  });

  test('and a key together: the retry answers all ids, the duplicate’s too', async () => {
    await ingest({ events: [event('x')] });
    const batch = { events: [event('x'), event('z')] };
    const first = await ingest(batch, key('k'));
    const retry = await ingest(batch, key('k'));
    expect(acceptedIds(retry)).toEqual(acceptedIds(first));
    expect(duplicates(first)).toEqual([true, false]);
    expect(duplicates(retry)).toEqual([true, true]);
  });
});
