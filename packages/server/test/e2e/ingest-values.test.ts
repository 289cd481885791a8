import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { isId } from '../../src/core/ids.ts';
import { parseJson, stringifyJson } from '../../src/core/json/json.ts';
import { acceptedIds, ingestWith, storedEvents, storedPayload } from '../support/endpoints.ts';
import { jsonObjects } from '../support/json-values.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

/** What is sent in is what is read back. */
let service: TestService;
let seed: Seed;
let ingest: ReturnType<typeof ingestWith>;

beforeAll(async () => {
  service = await startTestService({ settings: { SLUICE_ROLES: 'ingest' } });
  seed = await seedOrganisation(service.engine);
  ingest = ingestWith(service.url, seed.apiKey);
});
afterAll(() => service.stop());

/** Sends the text as one event's payload and reads it back from storage. */
async function keep(payload: string): Promise<string> {
  const [id = ''] = acceptedIds(await ingest(`{"events":[{"type":"a","payload":${payload}}]}`));
  return storedPayload(service.engine, seed.orgId, id);
}

describe('payloads', () => {
  const kept: [string, string][] = [
    ['an integer beyond 2^53', '{"n":9007199254740993}'],
    ['the largest 64-bit integer and one more', '{"n":[9223372036854775807,9223372036854775808]}'],
    ['a negative integer of 40 digits', `{"n":-${'7'.repeat(40)}}`],
    ['an integer of 308 digits', `{"n":${'8'.repeat(308)}}`],
    ['integers that a double holds', '{"n":[0,-1,9007199254740991,-9007199254740991]}'],
    ['fractions', '{"n":[0.1,-2.5,1e-7,1.7976931348623157e+308,5e-324]}'],
    ['digits in a string', '{"s":"12345678901234567890","t":"1e999"}'],
    ['__proto__ as a key', '{"__proto__":{"polluted":true},"a":{"__proto__":null}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"polluted":true}}}'],
    ['keys with dots, quotes and nothing at all', '{"a.b":1,"":2,"\\"":3,"$ref":4}'],
    ['escapes and emoji', '{"s":"a\\n\\t\\"\\\\ü🦊\u2028"}'],
    ['an emoji written as a pair of escapes', '{"s":"🦊"}'],
    ['control characters but NUL', '{"s":"\\u0001\\u001f\u007f"}'],
    ['null, booleans, empty containers', '{"a":null,"b":true,"c":false,"d":[],"e":{},"f":""}'],
    ['an empty payload', '{}'],
  ];
  for (const [name, text] of kept) {
    test(`keeps ${name}`, async () => {
      expect(await keep(text)).toBe(text);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });
  }

  test('reads an escaped pair as one character', async () => {
    expect(await keep('{"s":"\\ud83e\\udd8a"}')).toBe('{"s":"🦊"}');
  });

  test('lets the last of doubled keys count, also where one is a long integer', async () => {
    expect(await keep('{"a":1,"a":12345678901234567890}')).toBe('{"a":12345678901234567890}');
    expect(await keep('{"a":12345678901234567890,"a":1}')).toBe('{"a":1}');
    const doubled = '{"events":[{"type":"first","type":"last"}]}';
    const [id = ''] = acceptedIds(await ingest(doubled));
    expect((await service.engine.journal.findEvent(seed.orgId, id))?.type).toBe('last');
  });

  test('ignores a leading byte-order mark, gzipped too', async () => {
    const body = '\ufeff{"events":[{"type":"a"}]}';
    expect((await ingest(body)).status).toBe(202);
    expect((await ingest(gzipSync(body), { 'Content-Encoding': 'gzip' })).status).toBe(202);
  });

  test('takes an absent payload for an empty one', async () => {
    const [id = ''] = acceptedIds(await ingest({ events: [{ type: 'a' }] }));
    expect(await storedPayload(service.engine, seed.orgId, id)).toBe('{}');
  });

  const jsonTypes = [
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON',
    'application/cloudevents+json',
    'application/vnd.a&b+json',
    'application/json; profile=x',
  ];
  for (const type of jsonTypes) {
    test(`takes ${type} for JSON`, async () => {
      const answer = await ingest({ events: [{ type: 'a' }] }, { 'Content-Type': type });
      expect(answer.status).toBe(202);
    });
  }

  test('takes a missing content type for JSON', async () => {
    const response = await fetch(`${service.url}/v1/ingest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${seed.apiKey}` },
      body: Buffer.from('{"events":[{"type":"a"}]}'),
    });
    expect(response.status).toBe(202);
  });

  test('any JSON object is read back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jsonObjects, { minLength: 1, maxLength: 5 }), async payloads => {
        const texts = payloads.map(stringifyJson);
        const body = `{"events":[${texts.map(text => `{"type":"a","payload":${text}}`).join(',')}]}`;
        const ids = acceptedIds(await ingest(body));
        expect([...ids].sort()).toEqual(ids);
        for (const [i, id] of ids.entries()) {
          expect(parseJson(await storedPayload(service.engine, seed.orgId, id))).toEqual(
            parseJson(texts[i] ?? ''),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the record of an event', () => {
  test('holds every field as it was sent, and when it came', async () => {
    const org = await seedOrganisation(service.engine);
    const before = Date.now();
    const event = {
      type: 'order.paid',
      icon: '💸',
      id: 'order 7 — paid',
      timestamp: '2026-01-31T12:00:00.123+01:30',
      entity: { kind: 'customer', external_id: '../x y/ü' },
      payload: { total: 12.5 },
    };
    const [id = ''] = acceptedIds(await ingestWith(service.url, org.apiKey)({ events: [event] }));
    const stored = await service.engine.journal.findEvent(org.orgId, id);
    expect(isId('evt', id)).toBe(true);
    expect(stored).toMatchObject({
      id,
      type: 'order.paid',
      icon: '💸',
      senderId: 'order 7 — paid',
      entity: { kind: 'customer', externalId: '../x y/ü' },
      sources: [],
      happenedAt: Date.UTC(2026, 0, 31, 10, 30, 0, 123),
      payload: '{"total":12.5}',
    });
    expect(stored?.receivedAt).toBeWithin(before, Date.now() + 1);
  });

  const times: [string, number][] = [
    ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31t12:00:00z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00:00.123456789Z', Date.UTC(2026, 0, 31, 12, 0, 0, 123)],
    ['2024-02-29T23:59:59-08:00', Date.UTC(2024, 2, 1, 7, 59, 59)],
    ['1969-12-31T23:59:59Z', -1_000],
    ['2016-12-31T23:59:60Z', Date.UTC(2016, 11, 31, 23, 59, 59)],
  ];
  for (const [text, expected] of times) {
    test(`reads ${text} as the moment it names`, async () => {
      const [id = ''] = acceptedIds(await ingest({ events: [{ type: 'a', timestamp: text }] }));
      expect((await service.engine.journal.findEvent(seed.orgId, id))?.happenedAt).toBe(expected);
    });
  }

  test('takes an absent timestamp for the moment of receipt', async () => {
    const [id = ''] = acceptedIds(await ingest({ events: [{ type: 'a' }] }));
    const stored = await service.engine.journal.findEvent(seed.orgId, id);
    expect(stored?.happenedAt).toBe(stored?.receivedAt ?? -1);
  });

  test('answers only what is stored, in the envelope, with ids that sort by time', async () => {
    const org = await seedOrganisation(service.engine);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const answer = await ingestWith(service.url, org.apiKey)({ events: [{ type: 'a' }, { type: 'b' }] });
      const [first = '', second = ''] = acceptedIds(answer);
      expect(answer.body).toEqual({
        data: {
          events: [
            { id: first, duplicate: false },
            { id: second, duplicate: false },
          ],
        },
      });
      ids.push(first, second);
    }
    expect((await storedEvents(service.engine, org.orgId)).map(event => event.id)).toEqual(ids.toReversed());
  });
});
