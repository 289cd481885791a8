import type { Socket } from 'node:net';
import { type Answer, give } from './answers.ts';

/** A frame of PostgreSQL's protocol: its code, and its body or a length that is a lie. */
export function frame(code: string, body: Buffer | string = '', length?: number): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const head = Buffer.alloc(5);
  head.write(code, 'latin1');
  head.writeUInt32BE(length ?? bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

export const int16 = (n: number): string => String.fromCharCode((n >> 8) & 255, n & 255);
export const int32 = (n: number): string => int16((n >>> 16) & 0xffff) + int16(n & 0xffff);

export const ready = frame('Z', 'I');
export const completed = frame('C', 'SELECT 1\0');

/** The columns of an answer, each with the number of its type; 25 is text. */
export const columns = (...named: readonly (readonly [string, number])[]): Buffer =>
  frame(
    'T',
    int16(named.length) +
      named
        .map(
          ([name, type]) =>
            `${name}\0${int32(0)}${int16(0)}${int32(type)}${int16(-1)}${int32(-1)}${int16(0)}`,
        )
        .join(''),
  );

export const row = (...values: readonly (string | null)[]): Buffer =>
  frame(
    'D',
    int16(values.length) +
      values.map(value => (value === null ? int32(-1) : int32(value.length) + value)).join(''),
  );

/** Parsed, bound, and these frames, as the answer to a statement. */
export const answer = (...frames: readonly Buffer[]): Buffer =>
  Buffer.concat([frame('1'), frame('2'), ...frames]);

const welcome = Buffer.concat([
  frame('R', int32(0)),
  frame('S', 'server_version\x0018.0\0'),
  frame('K', int32(1) + int32(2)),
  ready,
]);

/** Somebody who listens where a database should be. */
export interface FakeAnswers {
  /** To the first message; absent: whoever comes is let in. */
  readonly start?: Answer;
  /** To whatever is asked afterwards. */
  readonly query?: Answer;
}

export const servePostgres =
  ({ start, query }: FakeAnswers) =>
  (socket: Socket): void => {
    let isStarted = false;
    socket.on('data', () => {
      if (isStarted && query) give(socket, query);
      else if (!isStarted) give(socket, start ?? welcome);
      isStarted = true;
    });
  };
