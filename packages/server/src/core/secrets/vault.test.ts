import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createVault, hashSecret, newSecret } from './vault.ts';

const vault = createVault('the first secret key, long enough');

test('a secret opens where it was sealed, and nowhere else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), secret => {
      const sealed = vault.seal(secret, 'org_1', 'src_1');
      expect(vault.open(sealed, 'org_1', 'src_1')).toBe(secret);
      expect(() => vault.open(sealed, 'org_1', 'src_2')).toThrow();
      expect(() => vault.open(sealed, 'org_2', 'src_1')).toThrow();
      expect(() => vault.open(sealed, 'org_1')).toThrow();
    }),
    { numRuns: 30 },
  );
});

test('another key opens nothing', () => {
  const sealed = vault.seal('x', 'org_1');
  expect(() => createVault('the second secret key, long enough').open(sealed, 'org_1')).toThrow();
});

test('a sealed secret that was altered, cut or emptied does not open', () => {
  const bytes = Buffer.from(vault.seal('secret', 'org_1'), 'base64');
  for (let i = 0; i < bytes.length; i++) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(i) ^ 1, i);
    expect(() => vault.open(altered.toString('base64'), 'org_1')).toThrow();
  }
  expect(() => vault.open(bytes.subarray(0, -1).toString('base64'), 'org_1')).toThrow();
  expect(() => vault.open('', 'org_1')).toThrow();
});

test('the same secret never looks the same at rest', () => {
  expect(vault.seal('x', 'org_1')).not.toBe(vault.seal('x', 'org_1'));
});

test('digests differ by purpose and by key', () => {
  const other = createVault('the second secret key, long enough');
  const digests = [
    vault.digest('a', 'x'),
    vault.digest('b', 'x'),
    vault.digest('a', 'y'),
    other.digest('a', 'x'),
  ];
  expect(new Set(digests).size).toBe(4);
  expect(vault.digest('a', 'x')).toBe(digests[0] ?? '');
});

test('a new secret has its prefix and 256 bits of chance', () => {
  const secret = newSecret('sk');
  expect(secret).toMatch(/^sk_[\w-]{43}$/);
  expect(newSecret('sk')).not.toBe(secret);
  expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
});
