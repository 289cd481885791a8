import { expect, test } from 'bun:test';
import { signBody } from './sign.ts';

/** Digests made with `printf '1700000000.{"a":"ü"}' | openssl dgst -sha256 -hmac <secret>`. */
const WITH_FIRST = '7e7334700963e1260c0515c5a531e178bb635c6a30c40f6e96edd3294f3c2e19';
const WITH_SECOND = 'dea5365952b570625fb8bd0632827833570222346d8b3f96081435461945b6d5';

test('a body is signed over its time and its bytes', () => {
  expect(signBody(['first secret'], '{"a":"ü"}', 1_700_000_000_999)).toBe(`t=1700000000,v1=${WITH_FIRST}`);
});

test('while a secret is being rotated, both sign', () => {
  expect(signBody(['first secret', 'second secret'], '{"a":"ü"}', 1_700_000_000_000)).toBe(
    `t=1700000000,v1=${WITH_FIRST},v1=${WITH_SECOND}`,
  );
});
