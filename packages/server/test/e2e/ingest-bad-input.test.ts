import { afterAll, beforeAll, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { expectRefused, ingestWith, type Refusal, storedEvents } from '../support/endpoints.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

/** Every way in which `POST /v1/ingest` refuses a body. No event is ever accepted in this file. */
let service: TestService;
let seed: Seed;

beforeAll(async () => {
  service = await startTestService();
  seed = await seedOrganisation(service.engine);
});
afterAll(() => service.stop());

const good = { type: 'order.paid', payload: { n: 1 } };
const goodBody = JSON.stringify({ events: [good] });

const notJson: Refusal = { status: 400, code: 'invalid_json' };
const notUtf8: Refusal = { status: 400, code: 'invalid_encoding' };
const notGzip: Refusal = { status: 400, code: 'invalid_compression' };
const notOurMedia: Refusal = { status: 415, code: 'unsupported_media_type' };
const badShape: Refusal = { status: 400, code: 'validation_failed' };
const badAt = (path: string): Refusal => ({ ...badShape, path });

function refuses(name: string, refusal: Refusal, body: unknown, headers: Record<string, string> = {}): void {
  test(`${refusal.status} ${refusal.code}${refusal.path ? ` at ${refusal.path}` : ''}: ${name}`, async () => {
    expectRefused(await ingestWith(service.url, seed.apiKey)(body, headers), refusal);
    expect(await storedEvents(service.engine, seed.orgId)).toEqual([]);
  });
}

/** The event may be text, where the test's own JSON.stringify could not write it. */
function refusesEvent(name: string, field: string, event: unknown): void {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  refuses(name, badAt(`events[0]${field}`), `{"events":[${text}]}`);
}

refuses('an empty body', notJson, '');
refuses('blanks only', notJson, ' \n\t');
refuses('a truncated body', notJson, goodBody.slice(0, -2));
refuses('something after the JSON', notJson, `${goodBody}x`);
refuses('a comma too many', notJson, '{"events":[{"type":"a"},]}');
refuses('single quotes', notJson, "{'events':[]}");
refuses('NaN', notJson, '{"events":[{"type":"a","payload":{"n":NaN}}]}');
refuses('a number with a leading zero', notJson, '{"events":[{"type":"a","payload":{"n":01}}]}');
refuses('a raw line break in a string', notJson, '{"events":[{"type":"a\nb"}]}');
refuses('a raw NUL in a string', notJson, '{"events":[{"type":"a\0b"}]}');
refuses('two byte-order marks', notJson, `\ufeff\ufeff${goodBody}`);
refuses('UTF-16', notJson, Buffer.from(goodBody, 'utf16le'));
refuses('a lone continuation byte', notUtf8, bodyAround(0x80));
refuses('an overlong encoding', notUtf8, bodyAround(0xc0, 0xaf));
refuses('a surrogate in UTF-8', notUtf8, bodyAround(0xed, 0xa0, 0x80));
refuses('a truncated sequence', notUtf8, bodyAround(0xe2, 0x82));

refuses('a body that is an array', badShape, [good]);
refuses('a body that is null', badShape, 'null');
refuses('a body that is a string', badShape, '"events"');
refuses('no events', badAt('events'), {});
refuses('events as an object', badAt('events'), { events: good });
refuses('events as null', badAt('events'), { events: null });
refuses('events as a string', badAt('events'), { events: 'x' });
refuses('no event in events', badAt('events'), { events: [] });
refuses('1,001 events', badAt('events'), { events: Array(1_001).fill(good) });
refuses('a field beside events', badAt('evnts'), { events: [good], evnts: [] });
refuses('__proto__ beside events', badAt('__proto__'), '{"events":[{"type":"a"}],"__proto__":{}}');
refuses('events inside __proto__', badAt('events'), '{"__proto__":{"events":[{"type":"a"}]}}');
refuses('the third of five bad', badAt('events[2].type'), { events: [good, good, { type: '' }, good, good] });
refuses('the last of 1,000 bad', badAt('events[999].icon'), {
  events: [...Array(999).fill(good), { ...good, icon: 1 }],
});

refusesEvent('an event that is null', '', 'null');
refusesEvent('an event that is a string', '', '"x"');
refusesEvent('an event that is an array', '', '[]');
refusesEvent('missing', '.type', { payload: {} });
refusesEvent('inside __proto__ only', '.type', '{"__proto__":{"type":"b"}}');
refusesEvent('empty', '.type', { type: '' });
refusesEvent('a number', '.type', { type: 7 });
refusesEvent('null', '.type', { type: null });
refusesEvent('257 characters', '.type', { type: 'x'.repeat(257) });
refusesEvent('257 emoji', '.type', { type: '🦊'.repeat(257) });
refusesEvent('an array', '.payload', { type: 'a', payload: [] });
refusesEvent('null', '.payload', { type: 'a', payload: null });
refusesEvent('a string', '.payload', { type: 'a', payload: 'x' });
refusesEvent('a number', '.payload', { type: 'a', payload: 1 });
refusesEvent('a number', '.icon', { type: 'a', icon: 1 });
refusesEvent('null', '.icon', { type: 'a', icon: null });
refusesEvent('65 characters', '.icon', { type: 'a', icon: 'x'.repeat(65) });
refusesEvent('65 emoji', '.icon', { type: 'a', icon: '🦊'.repeat(65) });
refusesEvent('empty', '.id', { type: 'a', id: '' });
refusesEvent('a number', '.id', { type: 'a', id: 5 });
refusesEvent('null', '.id', { type: 'a', id: null });
refusesEvent('256 characters', '.id', { type: 'a', id: 'x'.repeat(256) });
refusesEvent('a control character', '.id', { type: 'a', id: 'a\u007fb' });
refusesEvent('a misspelt field', '.paylod', { type: 'a', paylod: {} });
refusesEvent('a field with a dot in its name', '["a.b"]', { type: 'a', 'a.b': 1 });
refusesEvent('an unknown field', '.__proto__', '{"type":"a","__proto__":{"type":"b"}}');
refusesEvent('an unknown field', '.constructor', { type: 'a', constructor: {} });
refusesEvent('a number', '.timestamp', { type: 'a', timestamp: 1 });
refusesEvent('null', '.timestamp', { type: 'a', timestamp: null });
refusesEvent('no offset', '.timestamp', { type: 'a', timestamp: '2026-01-31T12:00:00' });
refusesEvent('a day only', '.timestamp', { type: 'a', timestamp: '2026-01-31' });
refusesEvent('a time that its offset carries past the last year', '.timestamp', {
  type: 'a',
  timestamp: '9999-12-31T23:59:59-23:59',
});
refusesEvent('a day that no calendar has', '.timestamp', { type: 'a', timestamp: '2026-02-30T12:00:00Z' });
refusesEvent('a month that no calendar has', '.timestamp', { type: 'a', timestamp: '2026-13-01T12:00:00Z' });
refusesEvent('a string', '.entity', { type: 'a', entity: 'user:1' });
refusesEvent('null', '.entity', { type: 'a', entity: null });
refusesEvent('no kind', '.entity.kind', { type: 'a', entity: { external_id: '1' } });
refusesEvent('empty', '.entity.kind', { type: 'a', entity: { kind: '', external_id: '1' } });
refusesEvent('capitals', '.entity.kind', { type: 'a', entity: { kind: 'User', external_id: '1' } });
refusesEvent('two dots', '.entity.kind', { type: 'a', entity: { kind: '..', external_id: '1' } });
refusesEvent('65 long', '.entity.kind', { type: 'a', entity: { kind: 'x'.repeat(65), external_id: '1' } });
refusesEvent('missing', '.entity.external_id', { type: 'a', entity: { kind: 'user' } });
refusesEvent('one dot', '.entity.external_id', { type: 'a', entity: { kind: 'user', external_id: '.' } });
refusesEvent('a tab', '.entity.external_id', { type: 'a', entity: { kind: 'user', external_id: 'a\tb' } });
refusesEvent('257 characters', '.entity.external_id', {
  type: 'a',
  entity: { kind: 'user', external_id: 'x'.repeat(257) },
});
refusesEvent('an unknown field', '.entity.x', { type: 'a', entity: { kind: 'u', external_id: '1', x: 1 } });

refusesEvent('65 levels', '.payload', `{"type":"a","payload":${'{"a":'.repeat(64)}{}${'}'.repeat(64)}}`);
refusesEvent(
  '65 levels with a long integer',
  '.payload',
  `{"type":"a","payload":{"n":12345678901234567890,"a":${'['.repeat(64)}${']'.repeat(64)}}}`,
);
refusesEvent('beyond a double', '.payload.n', '{"type":"a","payload":{"n":1e999}}');
refusesEvent('beyond a double', '.payload.a[1]', '{"type":"a","payload":{"a":[0,-1E+400]}}');
refusesEvent('a long fraction', '.payload.n', `{"type":"a","payload":{"n":${'9'.repeat(310)}.5}}`);
refusesEvent('an integer of 310 digits', '.payload.n', `{"type":"a","payload":{"n":1${'0'.repeat(309)}}}`);
refusesEvent('NUL', '.payload.s[1]', '{"type":"a","payload":{"s":["x","a\\u0000b"]}}');
refusesEvent('NUL in a key', '.payload.deep', '{"type":"a","payload":{"deep":{"a\\u0000b":1}}}');
refusesEvent('NUL', '.type', '{"type":"a\\u0000"}');
refusesEvent('NUL', '.icon', '{"type":"a","icon":"\\u0000"}');
refusesEvent('NUL', '.id', '{"type":"a","id":"\\u0000"}');
refusesEvent('NUL', '.entity.external_id', '{"type":"a","entity":{"kind":"u","external_id":"\\u0000"}}');
refusesEvent('a high surrogate alone', '.payload.s', '{"type":"a","payload":{"s":"\\ud800"}}');
refusesEvent('a low surrogate alone', '.payload.s', '{"type":"a","payload":{"s":"\\uDC00x"}}');
refusesEvent('a pair the wrong way round', '.payload.s', '{"type":"a","payload":{"s":"\\udc00\\ud800"}}');
refusesEvent('a lone surrogate in a key', '.payload', '{"type":"a","payload":{"\\ud83e":1}}');
refusesEvent('a lone surrogate', '.type', '{"type":"\\ud83e"}');
refusesEvent('a lone surrogate', '.icon', '{"type":"a","icon":"\\ud83e"}');
refusesEvent('a lone surrogate', '.id', '{"type":"a","id":"\\ud83e"}');
refusesEvent(
  'a lone surrogate',
  '.entity.external_id',
  '{"type":"a","entity":{"kind":"u","external_id":"\\ud83e"}}',
);

refuses('text/plain', notOurMedia, goodBody, { 'Content-Type': 'text/plain' });
refuses('text/json', notOurMedia, goodBody, { 'Content-Type': 'text/json' });
refuses('XML', notOurMedia, '<a/>', { 'Content-Type': 'application/xml' });
refuses('a form', notOurMedia, 'events=1', { 'Content-Type': 'application/x-www-form-urlencoded' });
refuses('multipart', notOurMedia, goodBody, { 'Content-Type': 'multipart/form-data; boundary=x' });
refuses('ISO 8859-1', notOurMedia, goodBody, { 'Content-Type': 'application/json; charset=iso-8859-1' });
refuses('UTF-16 as charset', notOurMedia, goodBody, { 'Content-Type': 'application/json;charset="utf-16"' });
refuses('brotli', notOurMedia, goodBody, { 'Content-Encoding': 'br' });
refuses('gzip twice', notOurMedia, gzipSync(gzipSync(goodBody)), { 'Content-Encoding': 'gzip, gzip' });
refuses('gzip that is none', notGzip, goodBody, { 'Content-Encoding': 'gzip' });
refuses('gzip cut short', notGzip, gzipSync(goodBody).subarray(0, -9), { 'Content-Encoding': 'gzip' });
refuses('a wrong checksum', notGzip, withFlippedByte(gzipSync(goodBody), -6), { 'Content-Encoding': 'gzip' });
refuses('gzip of no bytes', notGzip, new Uint8Array(), { 'Content-Encoding': 'gzip' });
refuses('gzip of bad JSON', notJson, gzipSync('{"events":'), { 'Content-Encoding': 'gzip' });

function bodyAround(...bytes: number[]): Uint8Array {
  return Buffer.concat([Buffer.from('{"events":[{"type":"a'), Buffer.from(bytes), Buffer.from('"}]}')]);
}

function withFlippedByte(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(copy.length + at) ^ 0xff, copy.length + at);
  return copy;
}
