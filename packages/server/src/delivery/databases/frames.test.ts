import { describe, expect, test } from 'bun:test';
import { frame, int16, int32, ready } from '../../../test/support/hostile/fake-postgres.ts';
import { createFrameCheck, NotUnderstood } from './frames.ts';

/** Of a connection over which as much was asked as the test needs. */
function askedCheck(questions = 1_000): ReturnType<typeof createFrameCheck> {
  const check = createFrameCheck();
  for (let n = 0; n < questions; n++) check.asked();
  return check;
}

const sound: Readonly<Record<string, Buffer>> = {
  'an error': frame('E', 'SERROR\0C42P01\0Mno such table\0\0'),
  'an error without a word': frame('E', '\0'),
  'a notice': frame('N', 'SNOTICE\0Mhello\0\0'),
  'a parameter': frame('S', 'server_version\x0018\0'),
  'a finished command': frame('C', 'INSERT 0 1\0'),
  columns: frame('T', `${int16(1)}id\0${int32(0)}${int16(0)}${int32(25)}${int16(-1)}${int32(-1)}${int16(0)}`),
  'a row': frame('D', `${int16(2)}${int32(3)}abc${int32(-1)}`),
  'parameter types': frame('t', int16(1) + int32(25)),
  'its key': frame('K', int32(1) + int32(2)),
  'a demand for SCRAM': frame('R', `${int32(10)}SCRAM-SHA-256\0\0`),
  'a SCRAM challenge': frame('R', `${int32(11)}r=abc,s=c2FsdA==,i=4096`),
  'the end of authentication': frame('R', int32(0)),
  'what it cannot negotiate': frame('v', `${int32(196_608)}${int32(1)}_pq_.x\0`),
  'a parsed statement': frame('1', ''),
  readiness: ready,
};

describe('a frame that a server may send passes', () => {
  for (const [what, bytes] of Object.entries(sound)) {
    test(`${what}: whole, byte by byte, and beside others`, () => {
      expect(createFrameCheck().take(bytes)).toEqual([bytes]);
      const check = createFrameCheck();
      const single = [...bytes].flatMap(byte => check.take(Buffer.from([byte])));
      expect(single).toEqual([bytes]);
      expect(askedCheck().take(Buffer.concat([ready, bytes, ready]))).toEqual([ready, bytes, ready]);
    });
  }
});

const unsound: Readonly<Record<string, Buffer>> = {
  'an error without its end': frame('E', 'SERROR\0Mx'),
  'an error with a field that has no end': frame('E', 'SERROR'),
  'an empty error': frame('E', ''),
  'an error with something behind its end': frame('E', 'SERROR\0\0x'),
  'a notice without its end': frame('N', 'Mhello'),
  'a parameter without a value': frame('S', 'server_version\0'),
  'a parameter of three texts': frame('S', 'a\0b\0c\0'),
  'a command without an end': frame('C', 'INSERT 0 1'),
  'columns that are fewer than announced': frame('T', `${int16(9)}id\0${'\0'.repeat(18)}`),
  'a column that is cut off': frame('T', `${int16(1)}id\0${'\0'.repeat(17)}`),
  'columns and something behind them': frame('T', `${int16(0)}x`),
  'a row whose value is longer than it': frame('D', `${int16(1)}${int32(100)}abc`),
  'a row whose value has a length below zero': frame('D', `${int16(1)}${int32(-2)}`),
  'a row with fewer values than announced': frame('D', `${int16(500)}${int32(-1)}`),
  'a row without a count': frame('D', '\0'),
  'a length below its own': frame('Z', '', 3),
  'a length of two gigabytes': frame('D', '', 0x7fff_ffff),
  'a length of four gigabytes': frame('E', '', 0xffff_ffff),
  'a code that there is not': frame('?', ''),
  'a copy that nobody asked for': frame('G', `\0${int16(0)}`),
  'rows of a copy': frame('d', 'x'),
  'a notification': frame('A', `${int32(1)}a\0b\0`),
  'an HTTP answer': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a TLS record': Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01]),
  'authentication of no known kind': frame('R', int32(7)),
  'authentication that is cut off': frame('R', '\0'),
  'SASL without an end': frame('R', `${int32(10)}SCRAM-SHA-256`),
  'a SCRAM challenge without rounds': frame('R', `${int32(11)}r=a,s=YQ==`),
  'a SCRAM challenge of rounds that are no number': frame('R', `${int32(11)}r=a,s=YQ==,i=4096x`),
  'a SCRAM challenge with rounds given twice': frame('R', `${int32(11)}r=a,s=YQ==,i=4096,i=99999`),
  'SCRAM with a thousand million rounds': frame('R', `${int32(11)}r=a,s=b,i=1000000000`),
  'readiness of two bytes': frame('Z', 'II'),
  'a parsed statement with a body': frame('1', 'x'),
  'a key that is cut off': frame('K', int32(1)),
  'a negotiation with more options than it holds': frame('v', int32(0) + int32(1_000_000)),
};

describe('a frame that no server sends is refused', () => {
  for (const [what, bytes] of Object.entries(unsound)) {
    test(what, () => {
      expect(() => createFrameCheck().take(Buffer.concat([bytes, ready]))).toThrow(NotUnderstood);
    });
  }
});

test('whoever has not let us in is refused at 64 KiB', () => {
  const notice = frame('N', `M${'x'.repeat(30_000)}\0\0`);
  const check = createFrameCheck();
  check.take(notice);
  check.take(notice);
  expect(() => check.take(notice)).toThrow('far too large');
});

test('an answer without end is refused at two mebibytes, and many short answers are not', () => {
  const notice = frame('N', `M${'x'.repeat(60_000)}\0\0`);
  const endless = createFrameCheck();
  endless.take(ready);
  for (let n = 0; n < 30; n++) endless.take(notice);
  expect(() => {
    for (let n = 0; n < 10; n++) endless.take(notice);
  }).toThrow('far too large');
  const patient = askedCheck();
  for (let n = 0; n < 100; n++) expect(patient.take(Buffer.concat([notice, ready]))).toHaveLength(2);
});

test('more rows than any table has columns are refused, and as many in several answers are not', () => {
  const row = sound['a row'] as Buffer;
  const many = Buffer.concat(Array.from({ length: 4_000 }, () => row));
  const endless = createFrameCheck();
  endless.take(ready);
  endless.take(many);
  expect(() => endless.take(many)).toThrow('far too large');
  const patient = askedCheck();
  patient.take(ready);
  for (let n = 0; n < 3; n++) patient.take(Buffer.concat([many, ready]));
});

test('a frame that has come in part is not handed on', () => {
  const error = sound['an error'] as Buffer;
  const check = createFrameCheck();
  expect(check.take(error.subarray(0, error.length - 1))).toEqual([]);
  expect(check.take(error.subarray(error.length - 1))).toEqual([error]);
});

test('a server that asks for more rounds of SCRAM than are computed is told why', () => {
  const challenge = (rounds: number) => frame('R', `${int32(11)}r=a,s=YQ==,i=${rounds}`);
  expect(createFrameCheck().take(challenge(100_000))).toHaveLength(1);
  expect(() => createFrameCheck().take(challenge(100_001))).toThrow(
    'it asked for more than 100000 rounds of SCRAM',
  );
});

describe('a step of authentication is taken once', () => {
  const steps = {
    'a demand for SCRAM': sound['a demand for SCRAM'],
    'a SCRAM challenge': sound['a SCRAM challenge'],
    'the end of SCRAM': frame('R', `${int32(12)}v=YQ==`),
    'a demand for a password': frame('R', int32(3)),
    'a demand for a hashed password': frame('R', `${int32(5)}abcd`),
    'the end of authentication': sound['the end of authentication'],
  };
  for (const [what, step] of Object.entries(steps)) {
    test(what, () => {
      const check = askedCheck();
      check.take(step as Buffer);
      expect(() => check.take(step as Buffer)).toThrow('it repeated a step of authentication');
      const later = askedCheck();
      later.take(Buffer.concat([step as Buffer, ready]));
      expect(() => later.take(step as Buffer)).toThrow('it repeated a step of authentication');
    });
  }
});

test('a server is ready once for each question, and once after the start', () => {
  const check = createFrameCheck();
  check.take(ready);
  expect(() => check.take(ready)).toThrow('it sent an unexpected response');
  const asked = askedCheck(2);
  asked.take(Buffer.concat([ready, ready, ready]));
  expect(() => asked.take(ready)).toThrow('it sent an unexpected response');
});
