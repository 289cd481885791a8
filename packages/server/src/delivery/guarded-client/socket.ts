import { connect, type Socket } from 'node:net';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import { beforeDeadline } from './deadline.ts';
import { networkFailure, timeoutFailure } from './failure.ts';
import type { Resolver } from './resolve.ts';

export type OpenedSocket =
  | { readonly kind: 'open'; readonly socket: Socket; readonly serverName: string | null }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/** A plain socket to the first of a host's checked addresses that takes a connection. */
export async function openSocket(
  resolver: Resolver,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<OpenedSocket> {
  let failure: OutgoingFailure = timeoutFailure;
  try {
    const location = await beforeDeadline(Promise.resolve(resolver.locate(host)), signal);
    if (location.kind === 'failed') return location;
    for (const address of location.addresses) {
      const dialled = await dial(address, port, signal);
      if (!(dialled instanceof Error))
        return { kind: 'open', socket: dialled, serverName: location.serverName };
      if (signal.aborted) break;
      failure = networkFailure(dialled) ?? { code: 'connection_refused', message: dialled.message };
    }
  } catch {
    failure = timeoutFailure;
  }
  return { kind: 'failed', failure: signal.aborted ? timeoutFailure : failure };
}

function dial(host: string, port: number, signal: AbortSignal): Promise<Socket | Error> {
  return new Promise(resolve => {
    const socket = connect({ host, port });
    const giveUp = () => {
      socket.destroy();
      resolve(new Error('The deadline has passed.'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    const settle = (outcome: Socket | Error) => {
      signal.removeEventListener('abort', giveUp);
      resolve(outcome);
    };
    socket.once('connect', () => settle(socket)).once('error', settle);
  });
}
