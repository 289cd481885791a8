import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterRequest } from '../receiver.ts';
import type { Authority } from '../tls.ts';
import { type Answer, BLOCK_BYTES, dripping, endless, give, thenClose, thenReset } from './answers.ts';
import type { HostileReceiver } from './receiver.ts';

const block = 'x'.repeat(BLOCK_BYTES);
const chunk = `${BLOCK_BYTES.toString(16)}\r\n${block}\r\n`;

/** An answer of this status line and these headers. */
const head = (status: string, ...headers: string[]) =>
  [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
const ok = (...headers: string[]) => head('200 OK', ...headers);
const CHUNKED = 'Transfer-Encoding: chunked';
export const WHOLE_ANSWER = `${ok('Content-Length: 2', 'Connection: close')}ok`;

const compressed = (encoding: string, bytes: Buffer, status = '200 OK') =>
  Buffer.concat([
    Buffer.from(head(status, `Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`)),
    bytes,
  ]);
const zeros = Buffer.alloc(50 * 1024 * 1024);
const redirectTo = (location: string) =>
  head('307 Temporary Redirect', `Location: ${location}`, 'Content-Length: 0');

/** To a request that has come in whole. */
const failing: Readonly<Record<string, Answer>> = {
  silence: '',
  'a close': thenClose(),
  'a reset': thenReset(),
  'a close within the status line': thenClose('HTTP/1.1 20'),
  'a close within a header': thenClose('HTTP/1.1 200 OK\r\nContent-Le'),
  'a close before the body': thenClose(ok('Content-Length: 100')),
  'a close within the body': thenClose(`${ok('Content-Length: 100')}ab`),
  'a close within a chunk': thenClose(`${ok(CHUNKED)}64\r\nab`),
  'a close within the size of a chunk': thenClose(`${ok(CHUNKED)}6`),
  'a close before the last chunk': thenClose(`${ok(CHUNKED)}2\r\nab\r\n`),
  'a reset within a header': thenReset('HTTP/1.1 200 OK\r\nContent-Le'),
  'a reset within the body': thenReset(`${ok('Content-Length: 100')}ab`),
  'a body that does not come': ok('Content-Length: 100'),
  'a chunk that does not come': `${ok(CHUNKED)}64\r\n`,
  'an endless status line': endless(block, 'HTTP/1.1 200 '),
  'an endless header': endless(block, 'HTTP/1.1 200 OK\r\nX-A: '),
  'an endless name of a header': endless(block, 'HTTP/1.1 200 OK\r\n'),
  'headers without end': endless(`X-A: ${'b'.repeat(1_000)}\r\n`.repeat(60), 'HTTP/1.1 200 OK\r\n'),
  'short headers without end': endless('a:b\r\n'.repeat(12_000), 'HTTP/1.1 200 OK\r\n'),
  'empty lines without end': endless('\r\n'.repeat(BLOCK_BYTES)),
  '100 Continue without end': endless(head('100 Continue').repeat(2_000)),
  '103 Early Hints without end': endless(head('103 Early Hints', 'Link: </a>; rel=preload').repeat(1_000)),
  'a 500 with an endless body': endless(block, head('500 Oops')),
  'a 500 with endless chunks': endless(chunk, head('500 Oops', CHUNKED)),
  'an endless extension of a chunk': endless(block, `${ok(CHUNKED)}5;a=`),
  'a size of a chunk of endless digits': endless('0'.repeat(BLOCK_BYTES), ok(CHUNKED)),
  'a head one byte at a time': dripping(`HTTP/1.1 200 OK\r\nX-A: ${'b'.repeat(50_000)}`),
  'a body one byte at a time': dripping(`${ok('Content-Length: 100000')}${'b'.repeat(50_000)}`),
  'a length below zero': `${ok('Content-Length: -5')}hello`,
  'a length that is no number': `${ok('Content-Length: many')}hello`,
  'two lengths': `${ok('Content-Length: 5', 'Content-Length: 500')}hello`,
  'a length of twenty-five digits': `${ok(`Content-Length: ${'9'.repeat(25)}`)}hello`,
  'a size of a chunk below zero': `${ok(CHUNKED)}-5\r\nhello\r\n0\r\n\r\n`,
  'a size of a chunk that is no number': `${ok(CHUNKED)}zz\r\nhello\r\n0\r\n\r\n`,
  'a size of a chunk of thirty digits': `${ok(CHUNKED)}${'f'.repeat(30)}\r\nhello\r\n0\r\n\r\n`,
  'a chunk longer than its size': `${ok(CHUNKED)}2\r\nhello\r\n0\r\n\r\n`,
  'a status of five digits': head('99999 What', 'Content-Length: 0'),
  'a status of twenty digits': head(`${'9'.repeat(20)} What`, 'Content-Length: 0'),
  'a status of zero': head('000 What', 'Content-Length: 0'),
  'a status of 999': head('999 What', 'Content-Length: 0'),
  'a status that is no number': head('abc What', 'Content-Length: 0'),
  'another protocol': head('101 Switching Protocols', 'Upgrade: evil', 'Connection: Upgrade'),
  'a version that there is not': 'FTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n',
  'a body alone': thenClose('<html>hello</html>'),
  'the beginning of HTTP/2': thenClose('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'),
  'an SSH greeting': thenClose('SSH-2.0-OpenSSH_9.2\r\n'),
  'the greeting of a mail server': thenClose('220 mail.test ESMTP\r\n'),
  noise: thenClose(randomBytes(BLOCK_BYTES)),
  'noise without end': endless(randomBytes(BLOCK_BYTES)),
  'zeros without end': endless(Buffer.alloc(BLOCK_BYTES)),
  'NUL in a header': thenClose(`${ok('X-A: a\0b', 'Content-Length: 2')}ok`),
  'a header without a colon': thenClose(`${ok('hello', 'Content-Length: 2')}ok`),
  'ten thousand headers': `${ok(...Array.from({ length: 10_000 }, (_, n) => `X-${n}: a`), 'Content-Length: 2')}ok`,
  'a redirect to a private address': redirectTo('http://169.254.169.254/latest/meta-data/'),
  'a redirect to a file': redirectTo('file:///etc/passwd'),
  'a redirect to nowhere': head('302 Found', 'Content-Length: 0'),
  'a redirect to itself': redirectTo('/'),
  'a 304': head('304 Not Modified'),
  'a 503 that wants to be left alone for ever': head(
    '503 Busy',
    `Retry-After: ${'9'.repeat(400)}`,
    'Content-Length: 0',
  ),
  'a 503 that wants to be left alone since long ago': head(
    '503 Busy',
    'Retry-After: -5',
    'Content-Length: 0',
  ),
  'a 500 with NUL and in no known encoding': thenClose(`${head('500 \xff\xfe')}no\0\xff\xfe\xed\xa0\x80`),
  'a 500 of a hundred thousand bytes in no known encoding': thenClose(
    `${head('500 Oops')}${'\xff'.repeat(100_000)}`,
  ),
  'a 500 that is a gzip bomb': compressed('gzip', gzipSync(zeros), '500 Oops'),
};

/** The status is a yes, whatever becomes of the rest. */
const willing: Readonly<Record<string, Answer>> = {
  'an endless body': endless(block, ok('Content-Length: 1073741824')),
  'endless chunks': endless(chunk, ok(CHUNKED)),
  'an endless body of no length': endless(block, ok()),
  'a gzip bomb': compressed('gzip', gzipSync(zeros)),
  'a deflate bomb': compressed('deflate', deflateSync(zeros)),
  'a brotli bomb': compressed('br', brotliCompressSync(zeros.subarray(0, 4 * 1024 * 1024))),
  'a gzip within a gzip': compressed('gzip, gzip', gzipSync(gzipSync('hello'))),
  'a gzip that is cut off': compressed('gzip', gzipSync(randomBytes(5_000)).subarray(0, 2_000)),
  'a gzip that is none': compressed('gzip', randomBytes(2_000)),
  'a brotli that is none': compressed('br', randomBytes(2_000)),
  'an encoding that there is not': compressed('rot13', Buffer.from('uryyb')),
  'a body with NUL and in no known encoding': thenClose(`${ok()}a\0\xff\xfe\xed\xa0\x80`),
  'a mebibyte in no known encoding': thenClose(`${ok()}${'\xff'.repeat(1024 * 1024)}`),
  'a reason with NUL and in no known encoding': thenClose(`${head('200 \xff\xfe', 'Content-Length: 2')}ok`),
  'a 204': head('204 No Content'),
  'a length and chunks': thenClose(`${ok('Content-Length: 3', CHUNKED)}2\r\nok\r\n0\r\n\r\n`),
};

/** Read in one way or the other; what matters is that it is over. */
const doubtful: Readonly<Record<string, Answer>> = {
  'a header of a mebibyte': `${ok(`X-A: ${'b'.repeat(1024 * 1024)}`, 'Content-Length: 2')}ok`,
  'endless trailers': endless('X-A: b\r\n'.repeat(8_000), `${ok(CHUNKED)}2\r\nok\r\n0\r\n`),
  'more than its length': `${ok('Content-Length: 2')}ok${head('500 Oops', 'Content-Length: 0')}`,
  'a 204 with a body': `${head('204 No Content')}${block}`,
  'NUL in the status line': thenClose(`${head('200 O\0K', 'Content-Length: 2')}ok`),
  'folded headers': `${ok('X-A: a\r\n b', 'Content-Length: 2')}ok`,
  'a space before a colon': `${ok('Content-Length : 2')}ok`,
  'line feeds alone': 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
  'carriage returns alone': thenClose('HTTP/1.1 200 OK\rContent-Length: 2\r\rok'),
  'an answer of HTTP/1.0': thenClose('HTTP/1.0 200 OK\r\n\r\nok'),
  'one answer too many': `${ok('Content-Length: 2')}ok`.repeat(3),
};

const withTls: Readonly<Record<string, Answer>> = {
  'a plain answer in place of TLS': WHOLE_ANSWER,
  'silence in place of TLS': '',
  'a close in place of TLS': thenClose(),
  'noise in place of TLS': endless(randomBytes(BLOCK_BYTES)),
  'a TLS alert': thenClose('\x15\x03\x01\x00\x02\x02\x46'),
  'a handshake without end': endless(`\x16\x03\x03\x40\x00${'\x02'.repeat(0x4000)}`),
  'a handshake one byte at a time': dripping(`\x16\x03\x03\x40\x00${'\x02'.repeat(50_000)}`),
};

/** Everything hostile that a receiver of HTTP may answer, by what it is. */
export function hostileWebServers(
  authority: Authority,
  stranger: Authority,
): Record<string, HostileReceiver> {
  const answering = (table: Readonly<Record<string, Answer>>, more: Omit<HostileReceiver, 'serve'> = {}) =>
    Object.entries(table).map(
      ([what, answer]) => [what, { serve: afterRequest(socket => give(socket, answer)), ...more }] as const,
    );
  const atOnce = (answer: Answer): HostileReceiver => ({ serve: socket => give(socket.resume(), answer) });
  const https = { config: { scheme: 'https' } };
  return Object.fromEntries<HostileReceiver>([
    ...answering(failing),
    ...answering(willing, { outcome: 'delivered' }),
    ...answering(doubtful, { outcome: 'either' }),
    ...Object.entries(withTls).map(
      ([what, answer]) =>
        [
          what,
          {
            serve: socket => void socket.once('data', () => give(socket, answer)),
            ...https,
          } as HostileReceiver,
        ] as const,
    ),
    ['a close before anything was asked', atOnce(thenClose())],
    ['a reset before anything was asked', atOnce(thenReset())],
    ['an answer before anything was asked', { ...atOnce(WHOLE_ANSWER), outcome: 'either' }],
    [
      'a certificate of a stranger',
      { ...atOnce(''), certificate: stranger.certify(['127.0.0.1']), ...https },
    ],
    [
      'an endless header within TLS',
      {
        serve: afterRequest(socket => give(socket, endless(block, 'HTTP/1.1 200 OK\r\nX-A: '))),
        certificate: authority.certify(['127.0.0.1']),
        ...https,
      },
    ],
  ]);
}
