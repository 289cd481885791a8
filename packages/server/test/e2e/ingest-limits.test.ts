import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { acceptedIds, expectRefused, ingestWith, storedEvents, storedPayload } from '../support/endpoints.ts';
import { openSocket, readAnswer } from '../support/raw-http.ts';
import {
  type Seed,
  type SeededSource,
  seedOrganisation,
  startTestService,
  type TestService,
} from '../support/service.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;

let service: TestService;
let seed: Seed;
let ingest: ReturnType<typeof ingestWith>;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Each test in an organisation of its own, so that what is stored is what it sent. */
const startOver = async () => {
  seed = await seedOrganisation(service.engine);
  ingest = ingestWith(service.url, seed.apiKey);
};

const stored = () => storedEvents(service.engine, seed.orgId);

/** An event whose own text has exactly this many bytes. */
function eventOf(bytes: number): string {
  const frame = '{"type":"a","payload":{"s":""}}';
  return frame.replace('""}}', `"${'x'.repeat(bytes - frame.length)}"}}`);
}

/** A body of exactly this many bytes, of events within their own limit. */
function bodyOf(bytes: number): string {
  const whole = [eventOf(MIB), eventOf(MIB), eventOf(MIB), eventOf(MIB)].join(',');
  const frame = `{"events":[${whole},]}`.length;
  return `{"events":[${whole},${eventOf(bytes - frame)}]}`;
}

describe('exact limits: the last that passes, the first that fails', () => {
  test('1,000 events a batch, in the order sent', async () => {
    await startOver();
    const events = Array.from({ length: 1_000 }, (_, n) => ({ type: 'a', payload: { n } }));
    const ids = acceptedIds(await ingest({ events }));
    expect(new Set(ids).size).toBe(1_000);
    expect([...ids].sort()).toEqual(ids);
    expect(await storedPayload(service.engine, seed.orgId, ids[537] ?? '')).toBe('{"n":537}');
    expect(await stored()).toHaveLength(1_000);
  });

  test('type 256, icon 64, id 255, external_id 256, kind 64 characters', async () => {
    await startOver();
    const event = {
      type: 'x'.repeat(256),
      icon: 'x'.repeat(64),
      id: 'x'.repeat(255),
      entity: { kind: 'x'.repeat(64), external_id: 'x'.repeat(256) },
    };
    expect((await ingest({ events: [event] })).status).toBe(202);
    expect(await stored()).toMatchObject([
      {
        type: event.type,
        icon: event.icon,
        senderId: event.id,
        entity: { kind: event.entity.kind, externalId: event.entity.external_id },
      },
    ]);
  });

  test('a character is a code point: 256 emoji are a type, 64 are an icon', async () => {
    await startOver();
    const event = { type: '🦊'.repeat(256), icon: '🦊'.repeat(64), id: '🦊'.repeat(255) };
    expect((await ingest({ events: [event] })).status).toBe(202);
    expect(await stored()).toMatchObject([{ type: event.type, icon: event.icon, senderId: event.id }]);
  });

  test('an empty icon is an icon', async () => {
    await startOver();
    expect((await ingest({ events: [{ type: 'a', icon: '' }] })).status).toBe(202);
    expect(await stored()).toMatchObject([{ icon: '' }]);
  });

  test('64 levels of payload', async () => {
    await startOver();
    const deep = `${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`;
    const [id = ''] = acceptedIds(await ingest(`{"events":[{"type":"a","payload":${deep}}]}`));
    expect(await storedPayload(service.engine, seed.orgId, id)).toBe(deep);
  });

  test('an event of 1 MiB', async () => {
    await startOver();
    const small = '{"type":"b"}';
    expect((await ingest(`{"events":[${small},${eventOf(MIB)}]}`)).status).toBe(202);
    expect(await stored()).toHaveLength(2);
    const answer = await ingest(`{"events":[${small}, ${eventOf(MIB + 1)} ,${small}]}`);
    expectRefused(answer, { status: 413, code: 'payload_too_large', path: 'events[1]' });
    expect(await stored()).toHaveLength(2);
  });

  test('blanks around an event are not part of it', async () => {
    await startOver();
    const blanks = ' '.repeat(2_000);
    expect((await ingest(`{"events":[${blanks}${eventOf(MIB)}${blanks}]}`)).status).toBe(202);
  });

  test('an event’s size is that of its text: escapes and UTF-8 count as written', async () => {
    await startOver();
    const escaped = `{"type":"a","payload":{"s":"${'\\u0041'.repeat(MIB / 6)}"}}`;
    const umlauts = `{"type":"a","payload":{"s":"${'ü'.repeat(MIB / 2)}"}}`;
    expectRefused(await ingest(`{"events":[${escaped}]}`), {
      status: 413,
      code: 'payload_too_large',
      path: 'events[0]',
    });
    expectRefused(await ingest(`{"events":[{"type":"a"},${umlauts}]}`), {
      status: 413,
      code: 'payload_too_large',
      path: 'events[1]',
    });
    expect(await stored()).toEqual([]);
  });

  test('brackets and quotes inside strings do not count as structure', async () => {
    await startOver();
    const text = '[]{},"\\'.repeat(20_000);
    const event = JSON.stringify({ type: 'a', payload: { s: text } });
    const [, id = ''] = acceptedIds(await ingest(`{"events":[${eventOf(MIB)},${event}]}`));
    expect(JSON.parse(await storedPayload(service.engine, seed.orgId, id))).toEqual({ s: text });
  });

  test('a body of 5 MiB', async () => {
    await startOver();
    expect((await ingest(bodyOf(5 * MIB))).status).toBe(202);
    expect(await stored()).toHaveLength(5);
    expectRefused(await ingest(bodyOf(5 * MIB + 1)), { status: 413, code: 'payload_too_large' });
    expect(await stored()).toHaveLength(5);
  });
});

describe('compression', () => {
  const gzip = { 'Content-Encoding': 'gzip' };

  test('the limit holds for what comes out', async () => {
    await startOver();
    expect((await ingest(gzipSync(bodyOf(5 * MIB)), gzip)).status).toBe(202);
    const tooLarge = { status: 413, code: 'payload_too_large' };
    expectRefused(await ingest(gzipSync(bodyOf(5 * MIB + 1)), gzip), tooLarge);
    expectRefused(await ingest(gzipSync(Buffer.alloc(1024 * MIB)), gzip), tooLarge);
    expect(await stored()).toHaveLength(5);
  });

  test('an event over its limit is found after decompression', async () => {
    await startOver();
    const answer = await ingest(gzipSync(`{"events":[${eventOf(MIB + 1)}]}`), gzip);
    expectRefused(answer, { status: 413, code: 'payload_too_large', path: 'events[0]' });
    expect(await stored()).toEqual([]);
  });

  test('the name of the encoding has no case, and identity is none', async () => {
    await startOver();
    const body = '{"events":[{"type":"a"}]}';
    expect((await ingest(gzipSync(body), { 'Content-Encoding': 'GZip' })).status).toBe(202);
    expect((await ingest(body, { 'Content-Encoding': 'Identity' })).status).toBe(202);
    expect(await stored()).toHaveLength(2);
  });
});

describe('bodies that do not say how long they are', () => {
  const streamOf = (chunk: string, times: number) => {
    let left = times;
    return new ReadableStream({
      pull: controller => (left-- > 0 ? controller.enqueue(Buffer.from(chunk)) : controller.close()),
    });
  };

  test('a chunked body within the limit is read whole', async () => {
    await startOver();
    expect((await ingest(streamOf(`{"events":[{"type":"a"}]}`, 1))).status).toBe(202);
    expect(await stored()).toHaveLength(1);
  });

  test('a chunked body over the limit is refused while it comes in', async () => {
    await startOver();
    const socket = await openSocket(service.service.port);
    const answer = readAnswer(socket);
    socket.write(
      `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${seed.apiKey}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    // Never finished: whoever waits for the end of it waits for ever.
    const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`;
    for (let sent = 0; sent <= 5 * MIB; sent += 64 * 1024) socket.write(chunk);
    expect((await answer).status).toBe(413);
    expect(JSON.parse((await answer).body).error.code).toBe('payload_too_large');
    socket.destroy();
    expect(await stored()).toEqual([]);
  });

  test('a body that announces too much is refused unread', async () => {
    await startOver();
    const socket = await openSocket(service.service.port);
    const answer = readAnswer(socket);
    socket.write(
      `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${seed.apiKey}\r\nContent-Length: ${10 ** 12}\r\n\r\n{`,
    );
    expect((await answer).status).toBe(413);
    socket.destroy();
  });
});

describe('hostile nesting is refused in one pass', () => {
  const depth = 2_500_000;
  const deep = { status: 400, code: 'validation_failed', path: 'events[0]' };
  const bodies: [string, string, { status: number; code: string; path?: string }][] = [
    ['2.5 million brackets', `{"events":[${'['.repeat(depth)}${']'.repeat(depth)}]}`, deep],
    ['brackets that never close', `{"events":[${'['.repeat(depth)}`, deep],
    ['objects in a payload', `{"events":[{"type":"a","payload":${'{"a":'.repeat(900_000)}`, deep],
    ['brackets around everything', '['.repeat(depth) + ']'.repeat(depth), { ...deep, path: 'events[0]' }],
    [
      'brackets below the size of an event',
      `{"events":[{"type":"a","payload":{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}}]}`,
      { ...deep, path: 'events[0].payload' },
    ],
    [
      'brackets beside a long integer',
      `{"events":[{"type":"a","payload":{"n":12345678901234567890,"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}}]}`,
      { status: 400, code: 'validation_failed' },
    ],
  ];
  for (const [name, body, refusal] of bodies) {
    test(name, async () => {
      await startOver();
      expectRefused(await ingest(body), refusal);
      expect(await stored()).toEqual([]);
    });
  }
});

test('every limit is a setting', async () => {
  const small = await startTestService({
    settings: {
      SLUICE_MAX_BODY_BYTES: '2048',
      SLUICE_MAX_EVENT_BYTES: '1024',
      SLUICE_MAX_BATCH_EVENTS: '2',
      SLUICE_MAX_NESTING: '2',
      SLUICE_MAX_TYPE_LENGTH: '3',
      SLUICE_MAX_ICON_LENGTH: '2',
      SLUICE_MAX_IDEMPOTENCY_KEY_LENGTH: '4',
    },
  });
  const { apiKey } = await seedOrganisation(small.engine);
  const send = ingestWith(small.url, apiKey);
  const key = (value: string) => ({ 'X-Ingest-Idempotency-Key': value });
  const most = { type: 'abc', icon: 'ab', payload: { a: {} } };
  expect((await send({ events: [most, most] }, key('abcd'))).status).toBe(202);
  const invalidAt = (path: string) => ({ status: 400, code: 'validation_failed', path });
  const tooLarge = { status: 413, code: 'payload_too_large' };
  expectRefused(await send({ events: [most, most, most] }), invalidAt('events'));
  expectRefused(await send({ events: [{ type: 'abcd' }] }), invalidAt('events[0].type'));
  expectRefused(await send({ events: [{ type: 'a', icon: 'abc' }] }), invalidAt('events[0].icon'));
  expectRefused(
    await send({ events: [{ type: 'a', payload: { a: [[]] } }] }),
    invalidAt('events[0].payload'),
  );
  expectRefused(await send({ events: [most] }, key('abcde')), invalidAt('X-Ingest-Idempotency-Key'));
  expectRefused(await send(`{"events":[${eventOf(1_025)}]}`), { ...tooLarge, path: 'events[0]' });
  expectRefused(await send(' '.repeat(2_049)), tooLarge);
  await small.stop();
});

describe('whoever holds back large bodies takes no room from others', () => {
  const BODY_BYTES = 600_000;
  /** So many of the largest bodies there is room for, at one source and at all of them. */
  const [HELD_BACK_BY_ONE, HELD_BACK_BY_ALL] = [4, 16];
  const large = JSON.stringify({ text: 'x'.repeat(400_000) });
  let node: TestService;
  let theirs: Seed;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    node = await startTestService({ settings: { SLUICE_MAX_BODY_BYTES: String(BODY_BYTES) } });
    theirs = await seedOrganisation(node.engine);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await node.stop();
  });

  /** A body that lacks its last bytes. */
  async function holdBack(path: string, headers: Record<string, string>): Promise<Socket> {
    const head = Object.entries({ ...headers, Host: 'localhost', 'Content-Length': BODY_BYTES });
    const text = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = await openSocket(Number(new URL(node.url).port));
    socket.on('error', () => undefined);
    socket.write(`POST ${path} HTTP/1.1\r\n${text}\r\n${' '.repeat(BODY_BYTES - 10)}`);
    sockets.push(socket);
    return socket;
  }

  /** Twenty bodies that lack their last bytes, until there is no room for another one there. */
  async function fill(path: string, headers: Record<string, string>): Promise<void> {
    for (let n = 0; n < 20; n++) await holdBack(path, headers);
    const isFull = async () => {
      const answer = await fetch(`${node.url}${path}`, { method: 'POST', headers, body: large });
      await answer.arrayBuffer();
      return answer.status === 503;
    };
    await until(isFull, 'There is room although everything is held back.');
  }

  test('at the login, which takes no body of that size', async () => {
    const headers = { 'X-Sluice-CSRF': '1', 'Content-Type': 'application/json' };
    const path = '/dashboard/api/session';
    for (let n = 0; n < 20; n++) await holdBack(path, headers);
    const answer = await fetch(`${node.url}${path}`, { method: 'POST', headers, body: large });
    expect(answer.status).toBe(413);
    const send = ingestWith(node.url, theirs.apiKey);
    expect((await send({ events: [{ type: 'a', payload: { text: large } }] })).status).toBe(202);
  });

  test('at a source that they know the address of, without its secret', async () => {
    const known = await theirs.source('hmac');
    const other = await theirs.source('none');
    await fill(`/whk/${known.token}`, { 'X-Ingest-Signature': '0'.repeat(64) });
    expect((await fetch(`${node.url}/whk/${other.token}`, { method: 'POST', body: large })).status).toBe(202);
    const send = ingestWith(node.url, theirs.apiKey);
    expect((await send({ events: [{ type: 'a', payload: { text: large } }] })).status).toBe(202);
  });

  test('at twelve sources: all together have one room, which is free again once they are gone', async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    const known = await Promise.all(Array.from({ length: 12 }, () => theirs.source('hmac')));
    const own = await theirs.source('none');
    const post = async (body: string) => {
      const answer = await fetch(`${node.url}/whk/${own.token}`, { method: 'POST', body });
      await answer.arrayBuffer();
      return answer;
    };
    let refused = 0;
    const holdBackAt = async ({ token }: SeededSource) => {
      const socket = await holdBack(`/whk/${token}`, { 'X-Ingest-Signature': '0'.repeat(64) });
      socket.once('data', answer => {
        if (answer.toString().startsWith('HTTP/1.1 503 ')) refused++;
      });
    };
    for (let n = 0; n < HELD_BACK_BY_ONE; n++) await Promise.all(known.map(holdBackAt));
    const most = HELD_BACK_BY_ONE * known.length - HELD_BACK_BY_ALL;
    await until(() => refused >= most, 'More is held back than there is room for.');

    let n = 0;
    const isFull = async () => {
      await holdBackAt(known[n++ % known.length] ?? own);
      return (await post(large)).status === 503;
    };
    await until(isFull, 'There is room although everything is held back.');
    expect((await post('{}')).status).toBe(202);
    const send = ingestWith(node.url, theirs.apiKey);
    expect((await send({ events: [{ type: 'a', payload: { text: large } }] })).status).toBe(202);

    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await post(large)).status === 202, 'The room was not given back.');
  });
});
