import { describe, expect, test } from 'bun:test';
import { createCipheriv, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { createVault, hashSecret, newSecret } from './vault.ts';

const FIRST = 'the first secret key, long enough';
const SECOND = 'the second secret key, long enough';
const vault = createVault(FIRST);
const place = { orgId: 'org_1', id: 'src_1', field: 'secret' };

/** As the first edition sealed: no version, no key, no field. */
function sealAsFirstEdition(secret: string, secretKey = FIRST): string {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'sluice sealing', 32));
  const nonce = Buffer.alloc(12, 2);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from('org_1\nsrc_1'));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

test('a secret opens where it was sealed, and nowhere else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), secret => {
      const sealed = vault.seal(secret, place);
      expect(vault.open(sealed, place)).toBe(secret);
      expect(() => vault.open(sealed, { ...place, id: 'src_2' })).toThrow();
      expect(() => vault.open(sealed, { ...place, orgId: 'org_2' })).toThrow();
      expect(() => vault.open(sealed, { ...place, field: 'token' })).toThrow();
    }),
    { numRuns: 30 },
  );
});

test('another key opens nothing', () => {
  const sealed = vault.seal('x', place);
  expect(() => createVault(SECOND).open(sealed, place)).toThrow('another secret key');
});

test('a sealed secret that was altered, cut or emptied does not open', () => {
  const sealed = vault.seal('secret', place);
  const [format, keyId, text = ''] = sealed.split('.');
  const withBytes = (bytes: Buffer) => [format, keyId, bytes.toString('base64')].join('.');
  const bytes = Buffer.from(text, 'base64');
  expect(vault.open(withBytes(bytes), place)).toBe('secret');
  for (let i = 0; i < bytes.length; i++) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(i) ^ 1, i);
    expect(() => vault.open(withBytes(altered), place)).toThrow();
  }
  for (const damaged of [withBytes(bytes.subarray(0, -1)), `3.${keyId}.${text}`, `2.00000000.${text}`, '']) {
    expect(() => vault.open(damaged, place)).toThrow();
  }
  // Without its header it would be bound to less.
  expect(() => vault.open(text, place)).toThrow();
});

test('the same secret never looks the same at rest', () => {
  expect(vault.seal('x', place)).not.toBe(vault.seal('x', place));
});

describe('while the key is being changed', () => {
  const both = createVault(SECOND, FIRST);

  test('what either key sealed opens, and what is sealed has the new one', () => {
    const before = vault.seal('old', place);
    const after = both.seal('new', place);
    expect([both.open(before, place), both.open(after, place)]).toEqual(['old', 'new']);
    expect([both.isUpToDate(before), both.isUpToDate(after)]).toEqual([false, true]);
    expect(createVault(SECOND).open(after, place)).toBe('new');
    expect(() => vault.open(after, place)).toThrow();
  });

  test('what the first edition sealed opens with either key, and is not up to date', () => {
    for (const one of [vault, both, createVault(FIRST, SECOND)]) {
      const sealed = sealAsFirstEdition('old');
      expect(one.open(sealed, place)).toBe('old');
      expect(one.isUpToDate(sealed)).toBe(false);
      expect(() => one.open(sealed, { ...place, id: 'src_2' })).toThrow();
    }
    expect(() => createVault(SECOND).open(sealAsFirstEdition('old'), place)).toThrow();
  });
});

test('digests differ by purpose and by key', () => {
  const other = createVault(SECOND);
  const digests = [
    vault.digest('a', 'x'),
    vault.digest('b', 'x'),
    vault.digest('a', 'y'),
    other.digest('a', 'x'),
  ];
  expect(new Set(digests).size).toBe(4);
  expect(vault.digest('a', 'x')).toBe(digests[0] ?? '');
  expect(createVault(FIRST, SECOND).digest('a', 'x')).toBe(digests[0] ?? '');
});

test('a new secret has its prefix and 256 bits of chance', () => {
  const secret = newSecret('sk');
  expect(secret).toMatch(/^sk_[\w-]{43}$/);
  expect(newSecret('sk')).not.toBe(secret);
  expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
});
