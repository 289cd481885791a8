import { connect, type Socket } from 'node:net';

/** For requests that no HTTP client would send: the bytes go out as they are. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** Sends these bytes over a connection of their own and reads one answer. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const socket = await openSocket(port);
  try {
    const answer = readAnswer(socket);
    socket.write(bytes);
    return await answer;
  } finally {
    socket.destroy();
  }
}

/** Reads until the answer is whole by its own Content-Length, or rejects when the connection ends first. */
export function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('data', chunk => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      const answer = parseAnswer(received);
      if (answer !== null) resolve(answer);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection ended after: ${received.toString('latin1')}`)));
  });
}

function parseAnswer(received: Buffer): RawAnswer | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const headers = new Headers(
    lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = received.subarray(headEnd + 4);
  if (body.length < Number(headers.get('content-length') ?? 0)) return null;
  return { status: Number(statusLine.split(' ')[1]), headers, body: body.toString('utf8') };
}
