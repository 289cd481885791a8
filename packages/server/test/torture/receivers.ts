import { createServer, type Socket } from 'node:net';
import { dripping, endless, give, thenReset } from '../support/hostile/answers.ts';
import { type RawReceiver, startRawReceiver } from '../support/receiver.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { createAuthority } from '../support/tls.ts';
import { answerWith, readRequests, type WireRequest } from './http-wire.ts';
import type { RunFiles } from './journal.ts';
import type { Behaviour } from './routes.ts';

/**
 * Everybody who is delivered to. All that speak HTTP share an address, and are told apart by the path: organisation,
 * then receiver. Each request is written down with what it will be answered, then answered.
 */
export interface Receivers {
  /** Of the receiver with this name, of this organisation. */
  url(organisation: string, receiver: string): string;
  readonly mailPort: number;
  /** How it behaves from now on, at every organisation. */
  become(receiver: string, behaviour: Behaviour): void;
  /** From now on, also of those that never were. */
  allWell(): void;
  stop(): Promise<void>;
}

const EVENT_ID = /evt\\*_[0-9A-HJKMNP-TV-Z]{26}/;
const eventIdIn = (text: string): string => EVENT_ID.exec(text)?.[0].replaceAll('\\', '') ?? '';

/** Nothing may connect there: it is outside `SLUICE_ALLOW_ADDRESSES`. */
export const ALLOWED_ADDRESSES = '127.0.0.1/32';
const TRAP_ADDRESS = '127.77.0.1';

export async function startReceivers(files: RunFiles): Promise<Receivers> {
  const behaviour = new Map<string, Behaviour>(neverWell);
  const trap = await startTrap(files);
  const web: RawReceiver = await startRawReceiver(socket => {
    const isAway = () => [...behaviour.values()].includes('away');
    // Only whoever asks is told apart by the path; so an absent receiver closes once it knows that it is meant.
    readRequests(socket, request => receive(socket, request, isAway()));
  });

  function receive(socket: Socket, request: WireRequest, someoneIsAway: boolean): void {
    const [, organisation = '', receiver = ''] = request.path.split('/');
    const behaves = behaviour.get(receiver) ?? 'well';
    if (someoneIsAway && behaves === 'away') return void socket.destroy();
    const { status, took, answer } = reply(receiver, behaves, trap.url);
    files.write('receivers', {
      at: files.now(),
      organisation,
      receiver,
      event: request.headers.get('x-service-event-id') ?? eventIdIn(request.body),
      delivery: request.headers.get('x-service-delivery-id') ?? null,
      attempt: Number(request.headers.get('x-service-attempt') ?? Number.NaN) || null,
      signature: request.headers.get('x-service-signature') ?? null,
      body: request.body,
      behaviour: behaves,
      status,
      took,
    });
    answer(socket);
  }

  const mail: MailServer = await startMailServer({
    certificate: createAuthority().certify(['127.0.0.1']),
    onMail({ raw, to }) {
      files.write('receivers', {
        at: files.now(),
        organisation: to[0]?.split('@')[0] ?? '',
        receiver: 'email',
        event: eventIdIn(raw),
        delivery: null,
        attempt: null,
        signature: null,
        body: raw,
        behaviour: 'well',
        status: 250,
        took: true,
      });
    },
  });

  return {
    url: (organisation, receiver) => `http://127.0.0.1:${web.port}/${organisation}/${receiver}`,
    mailPort: mail.port,
    become: (receiver, behaves) => void behaviour.set(receiver, behaves),
    allWell: () => behaviour.clear(),
    async stop() {
      await Promise.all([web.stop(), mail.stop(), trap.stop()]);
    },
  };
}

interface Reply {
  readonly status: number | null;
  readonly took: boolean;
  answer(socket: Socket): void;
}

/** As each vendor says yes. */
const yes: Readonly<Record<string, string>> = {
  slack: 'ok',
  'slack-bot': '{"ok":true,"ts":"1.2"}',
  discord: '{"id":"1"}',
  telegram: '{"ok":true,"result":{"message_id":1}}',
  notion: '{"object":"page","id":"1"}',
};

const FLOOD_BLOCK = 'x'.repeat(64 * 1024);

/** Unless told otherwise, these fail for ever. */
const neverWell: readonly (readonly [string, Behaviour])[] = [
  ['failing', 'error'],
  ['redirect', 'redirect'],
];

function reply(receiver: string, behaves: Behaviour, trapUrl: string): Reply {
  const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
    status,
    took: status < 300,
    answer: socket => answerWith(socket, status, body, headers),
  });
  const never = (answer: (socket: Socket) => void): Reply => ({ status: null, took: false, answer });
  switch (behaves) {
    case 'redirect':
      return plain(302, '', { location: trapUrl });
    case 'hang':
      return never(() => {});
    case 'reset':
      // It has taken the event, and nobody hears of it.
      return never(socket => give(socket, thenReset()));
    case 'error':
      return plain(500, 'no');
    case 'busy':
      return plain(429, '{}', { 'retry-after': '1' });
    case 'drip':
      return never(socket => give(socket, dripping(`HTTP/1.1 200 Answer\r\n${'x: y\r\n'.repeat(2_000)}`)));
    case 'flood':
      return {
        status: 200,
        took: true,
        answer: socket =>
          give(socket, endless(FLOOD_BLOCK, 'HTTP/1.1 200 Answer\r\ncontent-length: 2147483648\r\n\r\n')),
      };
    case 'lie':
      // Less than it promises: whether that is taken for a yes is the other side's to say.
      return {
        status: 200,
        took: true,
        answer: socket => void socket.end('HTTP/1.1 200 Answer\r\ncontent-length: 5000\r\n\r\n{"ok":tr'),
      };
    default:
      return plain(200, yes[receiver] ?? 'ok');
  }
}

/** Somebody at an address that is not allowed, to whom one receiver sends everybody on. */
async function startTrap(files: RunFiles): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(socket => {
    files.write('trapped', { at: files.now(), from: `${socket.remoteAddress}` });
    socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, TRAP_ADDRESS, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://${TRAP_ADDRESS}:${port}/`,
    stop: () => new Promise(resolve => server.close(() => resolve())),
  };
}
