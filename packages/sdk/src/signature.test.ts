import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { createHmac, randomBytes } from 'node:crypto';
import { signBody } from '../../server/src/delivery/sign.ts';
import { type SignedRequest, signPayload, verifySignature } from './signature.ts';

const secret = 'whsec_grüße';
const body = '{"type":"order.paid","payload":{"name":"Zoë 😀"}}';
const signedAt = Date.parse('2026-01-31T12:00:00Z');
const header = signBody([secret], body, signedAt);

afterEach(() => void setSystemTime());

describe('what Sluice signed is genuine', () => {
  test('as a text and as bytes', () => {
    setSystemTime(signedAt);
    expect(verifySignature({ body, header, secret })).toBe(true);
    const bytes = new TextEncoder().encode(body);
    expect(verifySignature({ body: bytes, header, secret })).toBe(true);
    expect(verifySignature({ body: bytes.buffer, header, secret })).toBe(true);
  });

  test('under either secret while one is being rotated', () => {
    setSystemTime(signedAt);
    const both = signBody(['the new one', secret], body, signedAt);
    expect(verifySignature({ body, header: both, secret })).toBe(true);
    expect(verifySignature({ body, header: both, secret: 'the new one' })).toBe(true);
  });

  test('for 300 seconds either way, or as long as is asked', () => {
    for (const [seconds, toleranceSeconds, isGenuine] of [
      [300, undefined, true],
      [301, undefined, false],
      [-300, undefined, true],
      [-301, undefined, false],
      [3_600, 3_600, true],
      [11, 10, false],
      [0, 0, true],
      // A setting that could not be read must not let everything pass.
      [0, Number.NaN, false],
    ] as const) {
      setSystemTime(signedAt + seconds * 1_000);
      expect(verifySignature({ body, header, secret, toleranceSeconds })).toBe(isGenuine);
    }
  });
});

describe('anything else is not', () => {
  const t = signedAt / 1_000;
  const digest = header.split('v1=')[1] ?? '';
  const cases: Record<string, string | null | undefined> = {
    'no header': null,
    'an absent header': undefined,
    'an empty header': '',
    'no time': `v1=${digest}`,
    'two times': `t=${t},t=${t},v1=${digest}`,
    'another time': `t=${t + 1},v1=${digest}`,
    'a time that is no number': `t=1e9,v1=${digest}`,
    'no signature': `t=${t}`,
    'a digest in capitals': `t=${t},v1=${digest.toUpperCase()}`,
    'a digest cut short': `t=${t},v1=${digest.slice(1)}`,
    'another scheme': `t=${t},v0=${digest}`,
    'the digest alone': digest,
  };
  for (const [what, wrong] of Object.entries(cases)) {
    test(what, () => {
      setSystemTime(signedAt);
      expect(verifySignature({ body, header: wrong, secret })).toBe(false);
    });
  }

  test('another body, another secret', () => {
    setSystemTime(signedAt);
    expect(verifySignature({ body: `${body} `, header, secret })).toBe(false);
    expect(verifySignature({ body, header, secret: `${secret}!` })).toBe(false);
  });
});

test('what is no signed request at all is not genuine, and nothing throws', () => {
  setSystemTime(signedAt);
  const parsed = JSON.parse('{"type":"x"}');
  for (const wrong of [
    { body: undefined },
    { body: null },
    { body: parsed },
    { header: [header] },
    { header: 7 },
    { secret: 7 },
  ])
    expect(verifySignature({ body, header, secret, ...wrong } as unknown as SignedRequest)).toBe(false);
});

test('without a secret nothing is genuine, and nothing is signed', () => {
  setSystemTime(signedAt);
  for (const none of ['', undefined as unknown as string]) {
    expect(verifySignature({ body, header: signBody([''], body, signedAt), secret: none })).toBe(false);
    expect(() => signPayload(body, none)).toThrow('secret');
  }
});

test('a payload is signed as every HMAC-SHA256 would, whatever its length and its secret’s', () => {
  const expected = (bytes: Uint8Array, key: string) => createHmac('sha256', key).update(bytes).digest('hex');
  for (let length = 0; length < 300; length++) {
    const bytes = randomBytes(length);
    const key = randomBytes(1 + (length % 150)).toString('hex');
    expect(signPayload(bytes, key)).toBe(expected(bytes, key));
  }
  const large = randomBytes(1_000_000);
  expect(signPayload(large, 'key')).toBe(expected(large, 'key'));
  expect(signPayload('grüße', 'key')).toBe(expected(Buffer.from('grüße'), 'key'));
});
