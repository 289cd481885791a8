import type { Socket } from 'node:net';

/** HTTP/1.1 on a bare socket, as far as our own requests go: a receiver that can misbehave in the middle of an answer. */
export interface WireRequest {
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';

/** Calls for each request, one after the other on a connection. */
export function readRequests(socket: Socket, onRequest: (request: WireRequest) => void): void {
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const headEnd = unread.indexOf(HEAD_END);
      if (headEnd === -1) return;
      const [first = '', ...lines] = unread.subarray(0, headEnd).toString('latin1').split('\r\n');
      const headers = new Map(
        lines.map(line => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
        }),
      );
      const bodyEnd = headEnd + HEAD_END.length + Number(headers.get('content-length') ?? 0);
      if (unread.length < bodyEnd) return;
      const body = unread.subarray(headEnd + HEAD_END.length, bodyEnd).toString();
      unread = unread.subarray(bodyEnd);
      onRequest({ path: first.split(' ')[1] ?? '', headers, body });
    }
  });
}

export function answerWith(
  socket: Socket,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const lines = Object.entries({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} Answer\r\n${lines.join('')}\r\n${body}`);
}
