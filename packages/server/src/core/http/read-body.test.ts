import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Problem } from '../errors.ts';
import { createByteRoom } from './byte-room.ts';
import { decodeText, decompress, mediaTypeOf, readBytes } from './read-body.ts';

const limits = { bodyBytes: 1_000 };
const ample = createByteRoom(Number.POSITIVE_INFINITY);
const request = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request('http://x/', { method: 'POST', body, headers });

const codeOf = async (act: () => unknown): Promise<string> => {
  try {
    await act();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('reading', () => {
  const streamed = (sizes: number[]) =>
    new ReadableStream({
      start(controller) {
        for (const size of sizes) controller.enqueue(new Uint8Array(size));
        controller.close();
      },
    });

  test('a body of unknown length is counted as it comes in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 6 }), async sizes => {
        const size = sizes.reduce((sum, n) => sum + n, 0);
        const read = await readBytes(request(streamed(sizes)), limits, ample).catch(
          (error: Problem) => error.code,
        );
        if (size > limits.bodyBytes) expect(read).toBe('payload_too_large');
        else expect((read as Uint8Array).byteLength).toBe(size);
      }),
    );
  });

  test('bodies that do not come to an end leave room for others, and give theirs back', async () => {
    const room = createByteRoom(1_500);
    const read = (body: Request) => readBytes(body, limits, room);
    let end = () => {};
    const unended = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(900));
        end = () => controller.close();
      },
    });
    const first = read(request(unended));
    expect(await codeOf(() => read(request(streamed([700]))))).toBe('storage_unavailable');
    expect((await read(request('{}', { 'Content-Length': '2' }))).byteLength).toBe(2);
    expect((await read(request(streamed([500])))).byteLength).toBe(500);
    end();
    expect((await first).byteLength).toBe(900);
    expect((await read(request(streamed([700])))).byteLength).toBe(700);
    expect(room.take(1_500)).toBe(true);
  });

  test('a body that is not whole in time is given up, and its room given back', async () => {
    const room = createByteRoom(900);
    let isLeft = false;
    const unended = new ReadableStream({
      start: controller => controller.enqueue(new Uint8Array(900)),
      cancel: () => {
        isLeft = true;
      },
    });
    expect(await codeOf(() => readBytes(request(unended), limits, room, 1))).toBe('request_timeout');
    expect(isLeft).toBe(true);
    expect(room.take(900)).toBe(true);
    const small = request('{}', { 'Content-Length': '2' });
    expect((await readBytes(small, limits, room, 60_000)).byteLength).toBe(2);
  });

  test('no body is no bytes', async () => {
    expect((await readBytes(request(null), limits, ample)).byteLength).toBe(0);
  });
});

describe('decompression', () => {
  const gzip = { 'Content-Encoding': 'gzip' };
  test('the limit holds for what comes out, to the byte', async () => {
    const unpack = (size: number) => decompress(request(null, gzip), gzipSync(Buffer.alloc(size)), limits);
    expect((await unpack(1_000)).byteLength).toBe(1_000);
    expect(await codeOf(() => unpack(1_001))).toBe('payload_too_large');
  });

  test('any gzip that was cut short is refused', async () => {
    const whole = gzipSync('{"a":1}');
    for (let length = 0; length < whole.length; length++) {
      expect(await codeOf(() => decompress(request(null, gzip), whole.subarray(0, length), limits))).toBe(
        'invalid_compression',
      );
    }
  });
});

describe('media types', () => {
  const json = [
    '',
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset=utf8',
    'application/vnd.api+json',
    'application/vnd.a&b+json',
    "a!#$%&'*.^_`|~-1/b!#$%&'*+.^_`|~-2+json",
    'application/json ; a=b',
  ];
  const others = [
    'text/html',
    'application/jsonx',
    'application/json+xml',
    '+json',
    '/a+json',
    'a/+json',
    'a/b/c+json',
    'a b/c+json',
    'a/(b)+json',
    'a/é+json',
    'json',
    'application/json; charset=utf-16',
  ];
  test('JSON, forms, text that may be JSON, and nothing else', async () => {
    const typeOf = (header: string) => mediaTypeOf(request(null, { 'Content-Type': header }));
    for (const header of json) expect(typeOf(header)).toBe('json');
    expect(typeOf('application/x-www-form-urlencoded;charset=utf-8')).toBe('form');
    for (const header of ['text/plain', 'text/json; charset=utf-8']) expect(typeOf(header)).toBe('text');
    for (const header of others) expect(await codeOf(() => typeOf(header))).toBe('unsupported_media_type');
  });
});

test('text is UTF-8 without its byte-order mark, and invalid bytes are refused', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const bytes = Buffer.from(text);
      expect(decodeText(bytes)).toBe(text.replace(/^\ufeff/, ''));
    }),
  );
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
    expect(await codeOf(() => decodeText(Uint8Array.from(bytes)))).toBe('invalid_encoding');
  }
});
