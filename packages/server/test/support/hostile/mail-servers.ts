import { randomBytes } from 'node:crypto';
import type { Authority, KeyAndCertificate } from '../tls.ts';
import { BLOCK_BYTES, dripping, endless, thenClose, thenReset } from './answers.ts';
import { type FakeReplies, serveSmtp, thenTls, WHOLE_SESSION } from './fake-smtp.ts';
import type { HostileReceiver } from './receiver.ts';

const login = { user: 'u', password: 'secret of a mail server' };
const block = 'x'.repeat(BLOCK_BYTES);
const offering = (...lines: string[]) =>
  ['250-mail.test', ...lines.map(line => `250-${line}`), '250 HELP', ''].join('\r\n');

/** Without encryption or a login. */
const plain: Readonly<Record<string, FakeReplies>> = {
  silence: { greeting: '' },
  'a close at once': { greeting: thenClose() },
  'a reset at once': { greeting: thenReset() },
  'a greeting that is cut off': { greeting: thenClose('22') },
  'a greeting without an end': { greeting: '220 mail.test' },
  'a greeting of one endless line': { greeting: endless(block, '220 ') },
  'a greeting of endless lines': { greeting: endless(`220-${block}\r\n`) },
  'a greeting of endless short lines': { greeting: endless('220-x\r\n'.repeat(9_000)) },
  'empty lines without end': { greeting: endless('\r\n'.repeat(BLOCK_BYTES)) },
  'line feeds without end': { greeting: endless('\n'.repeat(BLOCK_BYTES)) },
  'carriage returns without end': { greeting: endless('\r'.repeat(BLOCK_BYTES)) },
  'a greeting one byte at a time': { greeting: dripping(`220 ${'x'.repeat(100_000)}`) },
  'a refusal in place of a greeting': { greeting: '554 go away\r\n' },
  'a goodbye in place of a greeting': { greeting: thenClose('421 too busy\r\n') },
  'a greeting with a code of twenty digits': { greeting: '99999999999999999999 hello\r\n' },
  'a refusal with a code of twenty digits': { mail: '55099999999999999999 no\r\n' },
  'a greeting with a code of one digit': { greeting: '2 hello\r\n' },
  'a greeting without a code': { greeting: 'hello\r\n' },
  'a greeting with the code of a success': { greeting: '250 hello\r\n' },
  'an HTTP answer': { greeting: 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n' },
  'an SSH greeting': { greeting: 'SSH-2.0-OpenSSH_9.2\r\n' },
  'a TLS alert': { greeting: '\x15\x03\x01\x00\x02\x02\x46' },
  'zeros without end': { greeting: endless(Buffer.alloc(BLOCK_BYTES)) },
  noise: { greeting: randomBytes(BLOCK_BYTES) },
  'noise without end': { greeting: endless(randomBytes(BLOCK_BYTES)) },
  'a refusal with NUL': { greeting: '554 go\0away\0\r\n' },
  'a refusal in no known encoding': { greeting: '554 \xff\xfe\xc3\x28 \xed\xa0\x80\r\n' },
  'two greetings': { greeting: '220 a\r\n220 b\r\n' },
  'refusals without end': { mail: endless(`550 ${'no '.repeat(20_000)}\r\n`) },
  'silence to EHLO': { ehlo: '' },
  'a close at EHLO': { ehlo: thenClose('250-mail.test\r\n250-SI') },
  'a reset at EHLO': { ehlo: thenReset('250-mail.test\r\n') },
  'one endless extension': { ehlo: endless(block, '250-AUTH ') },
  'extensions without end': { ehlo: endless('250-X-EXTENSION\r\n'.repeat(4_000)) },
  'neither EHLO nor HELO': { ehlo: '500 what\r\n', helo: '500 what\r\n' },
  'a goodbye to EHLO': { ehlo: thenClose('421 later\r\n') },
  'a hundred thousand extensions': { ehlo: `${'250-X\r\n'.repeat(100_000)}250 HELP\r\n` },
  'lines of different codes': { ehlo: '250-mail.test\r\n550-no\r\n354 go on\r\n', mail: '550 no\r\n' },
  'pipelining and silence': { ehlo: offering('PIPELINING'), mail: '', rcpt: '', data: '' },
  'pipelining and one refusal for all': {
    ehlo: offering('PIPELINING'),
    mail: '550 no\r\n',
    rcpt: '',
    data: '',
  },
  'pipelining and go on after a refusal': { ehlo: offering('PIPELINING'), mail: '550 no\r\n' },
  'silence to the sender': { mail: '' },
  'a reset at the sender': { mail: thenReset('25') },
  'a refusal of half a million characters with NUL': { mail: `550 ${'no\0\xff\xfe'.repeat(100_000)}\r\n` },
  'a refusal of ten thousand lines': { mail: `${'550-no\r\n'.repeat(10_000)}550 no\r\n` },
  'a recipient put off': { rcpt: '450 later\r\n' },
  'an endless line to the recipient': { rcpt: endless(block, '250 ') },
  'a goodbye at the recipient': { rcpt: '421 I am leaving\r\n' },
  'no to DATA': { data: '554 no\r\n' },
  'a question in place of an answer to DATA': { data: '199 really?\r\n' },
  'a reset where the mail begins': { data: thenReset('354 go on\r\n') },
  'a mail that nobody reads': {
    data(socket) {
      socket.pause().write('354 go on\r\n');
      // Late enough; who never reads never learns that the other side has hung up.
      setTimeout(() => socket.resume(), 5_000);
    },
  },
  'silence to the mail': { message: '' },
  'a close after the mail': { message: thenClose() },
  'a reset after the mail': { message: thenReset() },
  'half an answer to the mail': { message: thenClose('25') },
  'an answer to the mail without its end': { message: thenClose('250 queued') },
  'go on, again': { message: '354 go on\r\n' },
  'a mail that is too large': { message: '552 too large\r\n' },
  'an answer one byte at a time': { message: dripping(`250 ${'x'.repeat(100_000)}`) },
};

/** What is a yes, however it is said. */
const willing: Readonly<Record<string, FakeReplies>> = {
  'a yes with NUL and in no known encoding': { message: '250 \0\xff\xfe queued\r\n' },
  'a yes of half a million characters': { message: `250 ${'x'.repeat(500_000)}\r\n` },
  'a yes one byte at a time': { greeting: dripping('220 hi\r\n'), message: dripping('250 ok\r\n') },
  'empty lines between answers': { mail: '\r\n\r\n250 ok\r\n\r\n' },
  'a size of one byte': { ehlo: offering('SIZE 1') },
  'a size that is no number': { ehlo: offering('SIZE 99999999999999999999999999', 'SIZE x') },
};

const withLogin: Readonly<Record<string, FakeReplies>> = {
  'a refused login that repeats the password': {
    ehlo: offering('AUTH PLAIN'),
    auth: `535 ${login.password} is wrong\r\n`,
  },
  'challenges without end': { ehlo: offering('AUTH PLAIN'), auth: '334 \r\n', login: '334 \r\n' },
  'a challenge that takes long to read': {
    ehlo: offering('AUTH CRAM-MD5'),
    auth: `334${' '.repeat(900_000)}a\rb\r\n`,
    login: '535 no\r\n',
  },
  'a challenge with line separators that takes long to read': {
    ehlo: offering('AUTH CRAM-MD5'),
    auth: `334${' '.repeat(900_000)}a\xe2\x80\xa8b\r\n`,
    login: '535 no\r\n',
  },
  'a challenge that is no base64': {
    ehlo: offering('AUTH CRAM-MD5'),
    auth: '334 ***\r\n',
    login: '535 no\r\n',
  },
  'a way to log in that there is not': { ehlo: offering('AUTH ROT13'), auth: '504 unknown\r\n' },
  'an end of the login before its time': { ehlo: offering('AUTH LOGIN') },
  'a list of ways padded with spaces': { ehlo: offering(`AUTH${' '.repeat(300_000)}X`), auth: '535 no\r\n' },
  'silence to the login': { ehlo: offering('AUTH PLAIN'), auth: '' },
  'a reset at the login': { ehlo: offering('AUTH PLAIN'), auth: thenReset('235') },
};

const withStartTls = (certificate: KeyAndCertificate): Readonly<Record<string, FakeReplies>> => ({
  'no encryption': { starttls: '502 what\r\n' },
  'no encryption today': { ehlo: offering('STARTTLS'), starttls: '454 not today\r\n' },
  'silence to STARTTLS': { starttls: '' },
  'a close after STARTTLS': { starttls: thenClose('220 go ahead\r\n') },
  'a reset after STARTTLS': { starttls: thenReset('220 go ahead\r\n') },
  'plain text after STARTTLS': { starttls: `220 go ahead\r\n${'250 ok\r\n'.repeat(10)}` },
  'plain text without end after STARTTLS': {
    starttls: endless('250 ok\r\n'.repeat(8_000), '220 go ahead\r\n'),
  },
  'noise in place of TLS': {
    starttls: socket => void socket.write(Buffer.concat([Buffer.from('220 go\r\n'), randomBytes(5_000)])),
  },
  'a handshake one byte at a time': {
    starttls: dripping(`220 go\r\n\x16\x03\x03\x40\x00${'\x02'.repeat(50_000)}`),
  },
  'a refusal after TLS': { starttls: thenTls('220 go ahead\r\n', certificate, { ehlo: '554 no\r\n' }) },
  'an endless line after TLS': {
    starttls: thenTls('220 go ahead\r\n', certificate, { ehlo: endless(block, '250 ') }),
  },
  'a close after TLS': { starttls: thenTls('220 go ahead\r\n', certificate, { mail: thenClose() }) },
  'a yes to everything before TLS, and no after': {
    starttls: thenTls(`220 go ahead\r\n${'250 ok\r\n'.repeat(20)}250 o`, certificate, { mail: '550 no\r\n' }),
  },
});

const withTls = (
  trusted: KeyAndCertificate,
  stranger: KeyAndCertificate,
): Record<string, HostileReceiver> => ({
  'a plain greeting in place of TLS': { serve: serveSmtp({}) },
  'silence in place of TLS': { serve: serveSmtp({ greeting: '' }) },
  'noise in place of TLS from the first byte': {
    serve: serveSmtp({ greeting: endless(randomBytes(BLOCK_BYTES)) }),
  },
  'a handshake without end': {
    serve: serveSmtp({ greeting: endless(`\x16\x03\x03\x40\x00${'\x02'.repeat(0x4000)}`) }),
  },
  'a certificate of a stranger': { serve: serveSmtp({}), certificate: stranger },
  'an endless line within TLS': {
    serve: serveSmtp({ greeting: endless(block, '220 ') }),
    certificate: trusted,
  },
  'empty lines without end within TLS': {
    serve: serveSmtp({ greeting: endless('\n'.repeat(BLOCK_BYTES)) }),
    certificate: trusted,
  },
  'a close within TLS': { serve: serveSmtp({ rcpt: thenClose('25') }), certificate: trusted },
});

/** Everything hostile that a mail server may answer, by what it is. */
export function hostileMailServers(
  authority: Authority,
  stranger: Authority,
): Record<string, HostileReceiver> {
  const certificate = authority.certify(['127.0.0.1']);
  const all = (table: Readonly<Record<string, FakeReplies>>, more: Omit<HostileReceiver, 'serve'>) =>
    Object.entries(table).map(([what, replies]) => [what, { serve: serveSmtp(replies), ...more }] as const);
  return Object.fromEntries<HostileReceiver>([
    ...all(plain, { config: { security: 'none' } }),
    ...all(willing, { config: { security: 'none' }, outcome: 'delivered' }),
    ...all(withLogin, { config: { security: 'none', ...login } }),
    ...all(withStartTls(certificate), { config: { security: 'starttls' } }),
    ...Object.entries(withTls(certificate, stranger.certify(['127.0.0.1']))).map(
      ([what, receiver]) => [what, { ...receiver, config: { security: 'tls' } }] as const,
    ),
    [
      'successes without end',
      {
        serve: serveSmtp({ greeting: endless('250 ok\r\n'.repeat(8_000), '220 hello\r\n') }),
        config: { security: 'none' },
        outcome: 'either',
      },
    ],
    [
      'a whole session at once',
      { serve: serveSmtp({ greeting: WHOLE_SESSION }), config: { security: 'none' }, outcome: 'either' },
    ],
  ]);
}
