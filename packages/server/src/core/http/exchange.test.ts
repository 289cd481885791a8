import { expect, test } from 'bun:test';
import { shownHeaders } from './exchange.ts';

test('the headers of a response are shown by lower-case name, and what may be a secret is cut', () => {
  const headers = new Headers({
    'Content-Type': 'text/plain',
    'X-Request-Id': '7',
    'Idempotency-Token': 'an id',
    'Set-Cookie': 'session=abc',
    'X-Api-Key': 'abc',
    'X-Auth-Token': 'abc',
    'X-Amz-Signature': 'abc',
    'Proxy-Authenticate': 'Basic',
  });
  expect(shownHeaders(headers)).toEqual({
    'content-type': 'text/plain',
    'x-request-id': '7',
    'idempotency-token': 'an id',
    'set-cookie': '…',
    'x-api-key': '…',
    'x-auth-token': '…',
    'x-amz-signature': '…',
    'proxy-authenticate': '…',
  });
});

test('they are bounded in number, length and all together', () => {
  const many = new Headers(Array.from({ length: 80 }, (_, n) => [`x-${n}`, 'y'] as [string, string]));
  expect(Object.keys(shownHeaders(many))).toHaveLength(50);
  const long = new Headers(
    Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'y'.repeat(5_000)] as [string, string]),
  );
  const shown = shownHeaders(long);
  expect(Object.values(shown)[0]).toBe(`${'y'.repeat(1_024)}…`);
  expect(JSON.stringify(shown).length).toBeLessThan(9_000);
});
