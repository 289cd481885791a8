import { type RawReceiver, type Receiver, startRawReceiver, startReceiver } from '../receiver.ts';

/** Servers that refuse whatever they are sent, and say all of it again: what they were told in confidence too. */

export const startEchoReceiver = (): Receiver =>
  startReceiver(({ path, headers, body }) => {
    const echo = { path, headers: Object.fromEntries(headers), body };
    return Response.json({ ok: false, error: JSON.stringify(echo) }, { status: 400 });
  });

export interface EchoMailServer extends RawReceiver {
  /** What it was told, a line each. */
  readonly lines: readonly string[];
}

/** A mail server that repeats what it does not accept, passwords as they came. */
export async function startEchoMailServer(): Promise<EchoMailServer> {
  const told: string[] = [];
  const server = await startRawReceiver(socket => {
    socket.write('220 echo\r\n');
    let rest = '';
    socket.on('data', chunk => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      told.push(...lines);
      for (const line of lines) {
        if (/^EHLO/i.test(line)) socket.write('250-echo\r\n250 AUTH PLAIN LOGIN\r\n');
        else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else socket.write(`535 not ${line}\r\n`);
      }
    });
  });
  return { ...server, lines: told };
}
