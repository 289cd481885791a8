import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSameSecret, isSignature, isSignedBy } from './signature.ts';

const sign = (secret: string, bytes: Uint8Array) => createHmac('sha256', secret).update(bytes).digest('hex');

test('a signature is 64 lowercase hex characters and nothing else', () => {
  const right = 'a1'.repeat(32);
  expect(isSignature(right)).toBe(true);
  for (const wrong of [
    null,
    '',
    right.slice(1),
    `${right}a`,
    right.toUpperCase(),
    `sha256=${right}`,
    `${right}\n`,
  ]) {
    expect(isSignature(wrong)).toBe(false);
  }
});

test('only the secret that signed these very bytes matches', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.uint8Array(), fc.uint8Array(), (secret, bytes, others) => {
      const signature = sign(secret, bytes);
      expect(isSignedBy([secret], signature, bytes)).toBe(true);
      expect(isSignedBy(['other', secret], signature, bytes)).toBe(true);
      expect(isSignedBy([secret, 'other'], signature, bytes)).toBe(true);
      expect(isSignedBy([`${secret}x`], signature, bytes)).toBe(false);
      expect(isSignedBy([], signature, bytes)).toBe(false);
      expect(isSignedBy([secret], signature, others)).toBe(Buffer.compare(bytes, others) === 0);
    }),
  );
});

test('secrets are the same only when every character is', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  for (const other of ['', 'ab', 'abcd', 'abC']) expect(isSameSecret(other, 'abc')).toBe(false);
});
