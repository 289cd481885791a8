import { expect, test } from 'bun:test';
import { createReplyCheck, TooMuchSaid } from './replies.ts';

/** What is read of these bytes, however they are cut into pieces. */
function readOf(text: string, piece = text.length): string {
  const check = createReplyCheck();
  const bytes = Buffer.from(text, 'latin1');
  const read: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += piece) read.push(check.take(bytes.subarray(at, at + piece)));
  return Buffer.concat(read).toString('latin1');
}

test.each([1, 2, 7, 100])('replies go through in pieces of %d', piece => {
  const replies = '220 mail.test\r\n\r\n250-mail.test\r\n250 HELP\n550 n\0\xff\r\n25';
  expect(readOf(replies, piece)).toBe(replies);
});

test('a line is cut, and a reason later than any other line', () => {
  const long = 'x'.repeat(500_000);
  expect(readOf(`334 ${long}\r\n250 ok\r\n`, 1_000)).toBe(`334 ${'x'.repeat(2_044)}\n250 ok\r\n`);
  expect(readOf(`550 ${long}\r\n250 ok\r\n`, 1_000)).toBe(`550 ${'x'.repeat(16_380)}\n250 ok\r\n`);
});

test.each([
  ['one line', 'x'.repeat(1024 * 1024 + 1)],
  ['empty lines', '\n'.repeat(2_001)],
  ['short lines', '2\n'.repeat(2_001)],
])('a server that does not come to an end is stopped: %s', (_, text) => {
  expect(() => readOf(text, 1_000)).toThrow(TooMuchSaid);
});
