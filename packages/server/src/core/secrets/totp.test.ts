import { expect, test } from 'bun:test';
import { newTotpSecret, stepOfCode, toBase32, totpCode, totpUri } from './totp.ts';

const RFC_SECRET = toBase32(Buffer.from('12345678901234567890'));

test('codes are those of RFC 6238, appendix B, cut to six digits', () => {
  expect(RFC_SECRET).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  for (const [at, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    expect(totpCode(RFC_SECRET, at * 1_000)).toBe(code);
    expect(stepOfCode(RFC_SECRET, code, at * 1_000)).toBe(Math.floor(at / 30));
  }
});

test('a code is good for the step before and after its own, and no further', () => {
  const at = 1_234_567_890_000;
  const step = Math.floor(at / 30_000);
  const code = totpCode(RFC_SECRET, at);
  for (const [offset, found] of [
    [-2, null],
    [-1, step],
    [0, step],
    [1, step],
    [2, null],
  ] as const) {
    expect(stepOfCode(RFC_SECRET, code, at + offset * 30_000)).toBe(found);
  }
});

test('what is no code belongs to no step', () => {
  for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６', '12345\n', ' 287082']) {
    expect(stepOfCode(RFC_SECRET, code, 59_000)).toBeNull();
  }
  expect(stepOfCode(RFC_SECRET, '287082', 0)).toBe(1);
});

test('a secret has 160 bits, and its address names the account', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(secret);
  const uri = new URL(totpUri(secret, 'a+b@example.com'));
  expect(decodeURIComponent(uri.pathname)).toBe('/Sluice:a+b@example.com');
  expect(uri.searchParams.get('secret')).toBe(secret);
});
