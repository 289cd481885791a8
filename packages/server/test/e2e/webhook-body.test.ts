import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '../../src/core/json/json.ts';
import {
  acceptedId,
  expectRefused,
  post,
  type Refusal,
  storedEvents,
  storedPayload,
} from '../support/endpoints.ts';
import { jsonValues } from '../support/json-values.ts';
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
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

let service: TestService;
let seed: Seed;
let source: SeededSource;

beforeAll(async () => {
  service = await startTestService();
  seed = await seedOrganisation(service.engine);
  source = await seed.source('none');
});
afterAll(() => service.stop());

const send = (body: BodyInit, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
  post(`${service.url}/whk/${source.token}`, body, headers);

async function keep(body: BodyInit, headers?: Record<string, string>) {
  const id = acceptedId(await send(body, headers));
  const event = await service.engine.journal.findEvent(seed.orgId, id);
  if (event === null) throw new Error(`${id} is not stored`);
  return { type: event.type, payload: event.payload };
}

const DEFAULT_TYPE = 'webhook.in.received';

describe('JSON objects', () => {
  const kept: [string, string][] = [
    ['blanks and order', ' {\n\t"b" : 1 ,\r\n "a": [ ] } \n'],
    ['numbers as they are written', '{"n":[1.0,1e2,-0,0.10,12345678901234567890,9007199254740993]}'],
    ['an integer of 308 digits', `{"n":${'8'.repeat(308)}}`],
    ['escapes as they are written', '{"s":"\\u0041\\/\\ud83e\\udd8a\\t"}'],
    ['doubled keys', '{"a":1,"a":2}'],
    [
      '__proto__ and constructor.prototype',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ],
    ['64 levels', `${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`],
    ['nothing', '{}'],
  ];
  for (const [name, text] of kept) {
    test(`are kept byte for byte: ${name}`, async () => {
      expect((await keep(text)).payload).toBe(text);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });
  }

  test('are kept without their byte-order mark, and after decompression', async () => {
    expect((await keep('\ufeff{"a": 1}')).payload).toBe('{"a": 1}');
    expect((await keep(gzipSync('{"a": 1}'), { 'Content-Encoding': 'gzip' })).payload).toBe('{"a": 1}');
  });

  test('of exactly 1 MiB pass, one byte more is 413', async () => {
    const text = `{"s":"${'x'.repeat(MIB - 8)}"}`;
    expect((await keep(text)).payload).toBe(text);
    expectRefused(await send(`${text} `), { status: 413, code: 'payload_too_large' });
    expectRefused(await send(gzipSync(`${text} `), { 'Content-Encoding': 'gzip' }), {
      status: 413,
      code: 'payload_too_large',
    });
  });
});

describe('the type', () => {
  const types: [string, string, string][] = [
    ['a string', '{"type":"order.paid"}', 'order.paid'],
    ['the last of two', '{"type":"a","type":"b"}', 'b'],
    ['an escape', '{"type":"\\u0061"}', 'a'],
    ['256 emoji', `{"type":"${'🦊'.repeat(256)}"}`, '🦊'.repeat(256)],
    ['a number', '{"type":7}', DEFAULT_TYPE],
    ['null', '{"type":null}', DEFAULT_TYPE],
    ['an object', '{"type":{"type":"x"}}', DEFAULT_TYPE],
    ['empty', '{"type":""}', DEFAULT_TYPE],
    ['absent', '{"Type":"x"}', DEFAULT_TYPE],
    ['inside __proto__', '{"__proto__":{"type":"x"}}', DEFAULT_TYPE],
    ['of an array', '[{"type":"x"}]', DEFAULT_TYPE],
  ];
  for (const [name, text, expected] of types) {
    test(`${name}: ${expected.slice(0, 40)}`, async () => {
      expect((await keep(text)).type).toBe(expected);
    });
  }
});

describe('JSON that is no object', () => {
  const wrapped: [string, string][] = [
    ['[1, 2]', '{"body":[1, 2]}'],
    ['null', '{"body":null}'],
    ['"text"', '{"body":"text"}'],
    ['12345678901234567890', '{"body":12345678901234567890}'],
    [' true ', '{"body": true }'],
    ['[]', '{"body":[]}'],
  ];
  for (const [text, expected] of wrapped) {
    test(`is kept as a body: ${text}`, async () => {
      expect(await keep(text)).toEqual({ type: DEFAULT_TYPE, payload: expected });
    });
  }
});

describe('forms', () => {
  const forms: [string, string, string][] = [
    ['fields', 'a=1&b=two', '{"a":"1","b":"two"}'],
    ['a name that repeats', 'a=1&a=2&b=3&a=4', '{"a":["1","2","4"],"b":"3"}'],
    ['plus and percent', 'a+b=c%20d%2B%26%3D', '{"a b":"c d+&="}'],
    ['UTF-8', 'n=%C3%BC%F0%9F%A6%8A', '{"n":"ü🦊"}'],
    ['a percent sign that begins no escape', 'n=100%&m=%zz', '{"n":"100%","m":"%zz"}'],
    ['no value, no name', 'a&b=&=c', '{"a":"","b":"","":"c"}'],
    ['an equals sign in a value', 'a=b=c', '{"a":"b=c"}'],
    ['empty pairs', '&&a=1&', '{"a":"1"}'],
    ['nothing', '', '{}'],
    ['names taken literally', 'a[b]=1&c.d=2&e[]=3', '{"a[b]":"1","c.d":"2","e[]":"3"}'],
    [
      '__proto__ as a name',
      '__proto__=x&__proto__=y&constructor=z',
      '{"__proto__":["x","y"],"constructor":"z"}',
    ],
    ['long digits stay text', 'n=12345678901234567890', '{"n":"12345678901234567890"}'],
  ];
  for (const [name, text, expected] of forms) {
    test(name, async () => {
      expect(JSON.parse((await keep(text, FORM)).payload)).toEqual(JSON.parse(expected));
    });
  }

  test('a field named type is the type; one that repeats, or is empty, is none', async () => {
    expect((await keep('type=a.b', FORM)).type).toBe('a.b');
    expect((await keep('type=a&type=b', FORM)).type).toBe(DEFAULT_TYPE);
    expect((await keep('type=', FORM)).type).toBe(DEFAULT_TYPE);
  });

  test('gzipped, and with a charset', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    expect((await keep(gzipSync('a=1'), { ...headers, 'Content-Encoding': 'gzip' })).payload).toBe(
      '{"a":"1"}',
    );
  });
});

describe('refused, and nothing stored', () => {
  const notJson: Refusal = { status: 400, code: 'invalid_json' };
  const notUtf8: Refusal = { status: 400, code: 'invalid_encoding' };
  const badShape: Refusal = { status: 400, code: 'validation_failed' };
  const badAt = (path: string): Refusal => ({ ...badShape, path });
  const notOurMedia: Refusal = { status: 415, code: 'unsupported_media_type' };
  const tooLarge: Refusal = { status: 413, code: 'payload_too_large' };
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  const rows: [string, Refusal, BodyInit, Record<string, string>?][] = [
    ['an empty body', notJson, ''],
    ['not JSON', notJson, 'hello'],
    ['truncated', notJson, '{"a":'],
    ['invalid UTF-8', notUtf8, Buffer.from([0x22, 0xff, 0x22])],
    ['NUL', badAt('a.b[0]'), '{"a":{"b":["\\u0000"]}}'],
    ['NUL in a key', badAt('a'), '{"a":{"\\u0000":1}}'],
    ['NUL in the type', badAt('type'), '{"type":"\\u0000"}'],
    ['a lone surrogate', badAt('a'), '{"a":"\\ud800"}'],
    ['a lone surrogate in no object', badAt('body'), '"\\udfff"'],
    ['a number beyond a double', badAt('n'), '{"n":1e999}'],
    ['an integer of 310 digits', badAt('n'), `{"n":1${'0'.repeat(309)}}`],
    ['a type of 257 characters', badAt('type'), `{"type":"${'x'.repeat(257)}"}`],
    ['a type of 257 emoji', badAt('type'), `{"type":"${'🦊'.repeat(257)}"}`],
    ['65 levels', badShape, `{"a":${nested(64)}}`],
    ['65 levels, the wrapping one counted', badShape, nested(64)],
    ['half a million brackets', badShape, nested(500_000)],
    ['half a million brackets that do not close', notJson, '['.repeat(500_000)],
    ['2.5 million brackets', tooLarge, nested(2_500_000)],
    ['a body over 5 MiB', tooLarge, 'x'.repeat(5 * MIB + 1)],
    ['plain text that is no JSON', notOurMedia, 'hello', { 'Content-Type': 'text/plain' }],
    ['multipart', notOurMedia, '{}', { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['another charset', notOurMedia, '{}', { 'Content-Type': 'application/json; charset=latin1' }],
    ['another encoding', notOurMedia, '{}', { 'Content-Encoding': 'deflate' }],
    ['gzip that is none', { status: 400, code: 'invalid_compression' }, '{}', { 'Content-Encoding': 'gzip' }],
    ['a gzip bomb', tooLarge, gzipSync(Buffer.alloc(512 * MIB)), { 'Content-Encoding': 'gzip' }],
    ['a form with invalid UTF-8 in an escape', notUtf8, 'a=%ff', FORM],
    ['a form with invalid UTF-8 as it is', notUtf8, Buffer.from([0x61, 0x3d, 0xff]), FORM],
    ['a form with a surrogate in an escape', notUtf8, 'a=%ED%A0%80', FORM],
    ['a form with NUL', badAt('a'), 'a=%00', FORM],
    ['a form with NUL in the second of a name', badAt('a[1]'), 'a=1&a=%00', FORM],
    ['a form with NUL in a name', badShape, '%00=1', FORM],
    ['a form with a type of 257 characters', badAt('type'), `type=${'x'.repeat(257)}`, FORM],
    ['a form over 1 MiB', tooLarge, `a=${'x'.repeat(MIB)}`, FORM],
  ];
  for (const [name, refusal, body, headers] of rows) {
    test(`${refusal.status} ${refusal.code}${refusal.path ? ` at ${refusal.path}` : ''}: ${name}`, async () => {
      const org = await seedOrganisation(service.engine);
      const { token } = await org.source('none');
      const sent = headers ?? { 'Content-Type': 'application/json' };
      expectRefused(await post(`${service.url}/whk/${token}`, body, sent), refusal);
      expect(await storedEvents(service.engine, org.orgId)).toEqual([]);
    });
  }
});

describe('every POST becomes one event', () => {
  test('any JSON value is kept exactly', async () => {
    await fc.assert(
      fc.asyncProperty(jsonValues, async value => {
        const text = stringifyJson(value);
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        const id = acceptedId(await send(text));
        const payload = await storedPayload(service.engine, seed.orgId, id);
        expect(payload).toBe(isObject ? text : `{"body":${text}}`);
        expect(parseJson(payload)).toEqual(parseJson(isObject ? text : `{"body":${text}}`));
      }),
      { numRuns: 100 },
    );
  });

  test('any form is read as URLSearchParams reads it', async () => {
    const fields = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(fields, async pairs => {
        const form = new URLSearchParams(
          pairs.map(pair => pair.map(text => text.replaceAll('\0', '')) as [string, string]),
        );
        const expected = new Map([...form.keys()].map(name => [name, form.getAll(name)]));
        const payload = JSON.parse((await keep(form.toString(), FORM)).payload) as Record<string, unknown>;
        expect(
          new Map(Object.entries(payload).map(([name, value]) => [name, [value].flat() as string[]])),
        ).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

test('an event was received when its last byte was, however long the first ones had been waiting', async () => {
  const socket = await openSocket(service.service.port);
  const answer = readAnswer(socket);
  socket.write(`POST /whk/${source.token} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{`);
  const begun = Date.now();
  await until(() => Date.now() > begun + 5, 'Time stands still.');
  const quick = acceptedId(await send('{}'));
  socket.write('}');
  const slow = (JSON.parse((await answer).body) as { data: { id: string } }).data.id;
  socket.destroy();
  const receivedAt = async (id: string) =>
    (await service.engine.journal.findEvent(seed.orgId, id))?.receivedAt ?? 0;
  expect(await receivedAt(slow)).toBeGreaterThanOrEqual(await receivedAt(quick));
});
