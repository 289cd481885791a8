import type { Socket } from 'node:net';

/** What somebody hostile answers with: these bytes, or whatever it does with the socket. */
export type Answer = Buffer | string | ((socket: Socket) => void);

export function give(socket: Socket, answer: Answer): void {
  if (typeof answer === 'function') answer(socket);
  else socket.write(bytesOf(answer));
}

/** Each character is a byte. */
const bytesOf = (text: Buffer | string): Buffer =>
  typeof text === 'string' ? Buffer.from(text, 'latin1') : text;

/**
 * Some bytes, and then the same again and again, as fast as a network brings them: on one machine, whoever writes as
 * fast as it can takes the processor from whoever has to bear it.
 */
export const endless =
  (again: Buffer | string, first: Buffer | string = ''): Answer =>
  socket => {
    const bytes = bytesOf(again);
    const more = () => {
      if (!socket.destroyed) socket.write(bytes, () => setTimeout(more, 1));
    };
    socket.write(bytesOf(first));
    more();
  };

/** One byte at a time. */
export const dripping =
  (slowly: Buffer | string): Answer =>
  socket => {
    const bytes = bytesOf(slowly);
    let n = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || n === bytes.length) clearInterval(timer);
      else socket.write(bytes.subarray(n, ++n));
    }, 2);
  };

export const thenClose =
  (bytes: Buffer | string = ''): Answer =>
  socket =>
    void socket.end(bytesOf(bytes));

export const thenReset =
  (bytes: Buffer | string = ''): Answer =>
  socket =>
    void socket.write(bytesOf(bytes), () => socket.resetAndDestroy());

/** What is enough to come to an answer, where a large block is repeated without end. */
export const BLOCK_BYTES = 64 * 1024;
