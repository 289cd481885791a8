import { randomBytes } from 'node:crypto';
import { type Answer, dripping, endless, thenClose, thenReset } from './answers.ts';
import {
  answer,
  columns,
  completed,
  type FakeAnswers,
  frame,
  int16,
  int32,
  ready,
  row,
  servePostgres,
} from './fake-postgres.ts';
import type { HostileReceiver } from './receiver.ts';

const MEBIBYTE = 1024 * 1024;

const nothing = Buffer.alloc(0);
const error = (fields: string) => frame('E', fields);
const welcomed = (more: Buffer): Buffer => Buffer.concat([frame('R', int32(0)), more]);
const catalogue = columns(['name', 25], ['type', 25], ['base', 25], ['category', 25]);

/** Asks for SCRAM, and then challenges so often at once with what the other side has to take for its own. */
const challenging =
  (rounds: number, times: number): Answer =>
  socket => {
    socket.once('data', response => {
      const [, nonce = ''] = /,r=([^,\0]+)/.exec(response.toString('latin1')) ?? [];
      const challenge = frame('R', `${int32(11)}r=${nonce}x,s=YQ==,i=${rounds}`);
      socket.write(Buffer.concat(Array.from({ length: times }, () => challenge)));
    });
    socket.write(frame('R', `${int32(10)}SCRAM-SHA-256\0\0`));
  };

/** Everything hostile that a database may answer. */
const answers: Readonly<Record<string, FakeAnswers>> = {
  // Before anybody is let in.
  'an error without its end': { start: error('SERROR\0Mx') },
  'an error with a field without an end': { start: error('SFATAL') },
  'an empty error': { start: error('') },
  'an error that begins and never goes on': { start: frame('E', 'S', 100) },
  'a notice without its end': { start: frame('N', 'SNOTICE\0M') },
  'a notice that is empty': { start: frame('N') },
  'notices without end': { start: endless(frame('N', `SNOTICE\0M${'x'.repeat(60_000)}\0\0`)) },
  'parameters without end': { start: endless(frame('S', `a\0${'b'.repeat(60_000)}\0`)) },
  'a message of two gigabytes': { start: endless(frame('D', 'x'.repeat(60_000), 0x7fff_ffff)) },
  'a message of four gigabytes': { start: frame('R', '', 0xffff_ffff) },
  'a length below its own': { start: frame('R', '', 3) },
  'a length of nothing': { start: frame('E', '', 0) },
  'an HTTP answer': { start: Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n') },
  'an SSH greeting': { start: Buffer.from('SSH-2.0-OpenSSH_9.2\r\n') },
  'a TLS alert': { start: Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]) },
  'zeros without end': { start: endless(Buffer.alloc(64 * 1024)) },
  noise: { start: randomBytes(64 * 1024) },
  'noise without end': { start: endless(randomBytes(64 * 1024)) },
  'a demand for Kerberos': { start: frame('R', int32(2)) },
  'a demand for a way that there is not': { start: frame('R', int32(99)) },
  'a demand that is cut off': { start: frame('R', '\0') },
  'a salt of two bytes': { start: frame('R', `${int32(5)}ab`) },
  'SASL with no way to choose from': { start: frame('R', `${int32(10)}\0\0`) },
  'SASL with a way that there is not': { start: frame('R', `${int32(10)}ROT13\0\0`) },
  'a SCRAM challenge before any demand': { start: frame('R', `${int32(11)}r=a,s=b,i=4096`) },
  'a SCRAM challenge of a thousand million rounds': {
    start: frame('R', `${int32(11)}r=a,s=YQ==,i=1000000000`),
  },
  'a SCRAM challenge with rounds given twice': {
    start: frame('R', `${int32(11)}r=a,s=YQ==,i=4096,i=100000`),
  },
  'SCRAM challenges without end': { start: challenging(100_000, 1_000) },
  'a SCRAM challenge of more rounds than are computed': { start: challenging(100_001, 1) },
  'demands for a password without end': { start: endless(frame('R', int32(3))) },
  'demands for a hashed password without end': { start: endless(frame('R', `${int32(5)}salt`)) },
  'ends of authentication without end': { start: endless(welcomed(nothing)) },
  'readiness without end before a question': { start: endless(ready, welcomed(ready)) },
  'rows before anybody is let in': { start: row('x') },
  'readiness and nothing else': { start: frame('Z', 'X') },
  silence: { start: nothing },
  'one byte at a time': { start: dripping(error('SERROR\0C28000\0Mgo away\0\0')) },
  'a close at once': { start: thenClose(nothing) },
  'a reset at once': { start: thenReset(nothing) },
  'a close in the middle of a message': { start: thenClose(frame('E', 'SERR', 100)) },
  'a reset in the middle of a message': { start: thenReset(frame('R', '', 8)) },
  'the end of authentication and silence': { start: welcomed(nothing) },
  'a copy in place of a welcome': { start: welcomed(frame('G', `\0${int16(0)}`)) },
  // To what is asked.
  'rows without a description': { query: answer(row('a', 'b'), completed, ready) },
  'rows with more values than columns': {
    query: answer(catalogue, row('a', 'b', 'c', 'd', 'e', 'f'), completed, ready),
  },
  'rows with fewer values than columns': { query: answer(catalogue, row('a'), completed, ready) },
  'a catalogue with other columns': { query: answer(columns(['x', 25]), row('1'), completed, ready) },
  'a catalogue with values of other types': {
    query: answer(
      columns(['name', 23], ['type', 16], ['columns', 114]),
      row('1', 't', '{}'),
      completed,
      ready,
    ),
  },
  'a catalogue of JSON that is none': {
    query: answer(columns(['columns', 114]), row('{"a":'), completed, ready),
  },
  'lists within lists without end': {
    query: answer(columns(['columns', 1009]), row('{'.repeat(500_000)), completed, ready),
  },
  'dates and intervals that are none': {
    query: answer(
      columns(['name', 1184], ['type', 1186], ['base', 17]),
      row(`${'9'.repeat(1_000)}-01-01`, '1 year '.repeat(50_000), `\\x${'f'.repeat(99_999)}`),
      completed,
      ready,
    ),
  },
  'a hundred thousand columns': {
    query: answer(
      catalogue,
      ...Array.from({ length: 100_000 }, (_, n) => row(`c${n}`, 'text', 'text', 'S')),
      completed,
      ready,
    ),
  },
  'rows without end': { query: endless(Buffer.concat([answer(catalogue), row('x'.repeat(60_000))])) },
  'notices between rows without end': { query: endless(frame('N', `M${'x'.repeat(1_000)}\0\0`)) },
  'a description of more columns than it holds': { query: answer(frame('T', `${int16(9_999)}a\0`)) },
  'a row whose value is longer than it': { query: answer(catalogue, frame('D', int16(1) + int32(1_000))) },
  'an error of a mebibyte': {
    query: Buffer.concat([error(`SERROR\0C42501\0M${'x'.repeat(MEBIBYTE - 100)}\0\0`), ready]),
  },
  'an error in no known encoding': {
    query: Buffer.concat([error('SERROR\0C42501\0M\xff\xfe\xc3\x28\0\0'), ready]),
  },
  'an error with a code that is none': {
    query: Buffer.concat([error(`SERROR\0C${'<script>'.repeat(99)}\0Mno\0\0`), ready]),
  },
  'an error without a word': { query: Buffer.concat([error('\0'), ready]) },
  'an end that nobody waits for': { query: Buffer.concat([completed, completed, completed, ready]) },
  'readiness without end': { query: endless(Buffer.concat([completed, ready])) },
  'a copy that nobody asked for': { query: answer(frame('H', `\0${int16(0)}`)) },
  'notifications that nobody asked for': { query: frame('A', `${int32(1)}a\0b\0`) },
  'a suspended portal': { query: answer(frame('s'), ready) },
  'an answer and no readiness': { query: answer(catalogue, completed) },
  'silence to a question': { query: nothing },
  'an answer one byte at a time': { query: dripping(answer(catalogue, row('a', 'b', 'c', 'd'))) },
  'a close within a row': { query: thenClose(answer(catalogue, frame('D', int16(4), 200))) },
  'a reset within a row': { query: thenReset(answer(catalogue, frame('D', int16(4), 200))) },
  'an end by the administrator': { query: thenClose(error('SFATAL\0C57P01\0Mbye\0\0')) },
};

export const hostileDatabases: Readonly<Record<string, HostileReceiver>> = Object.fromEntries(
  Object.entries(answers).map(([what, given]) => [what, { serve: servePostgres(given) }]),
);
