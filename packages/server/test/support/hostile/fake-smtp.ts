import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { KeyAndCertificate } from '../tls.ts';
import { type Answer, give } from './answers.ts';

/** Somebody who listens where a mail server should be: what is said at each step, in place of what one would say. */
export interface FakeReplies {
  readonly greeting?: Answer;
  readonly ehlo?: Answer;
  readonly helo?: Answer;
  readonly starttls?: Answer;
  readonly auth?: Answer;
  /** To each further line of a login. */
  readonly login?: Answer;
  readonly mail?: Answer;
  readonly rcpt?: Answer;
  readonly data?: Answer;
  readonly message?: Answer;
}

const usual = {
  greeting: '220 mail.test ESMTP\r\n',
  ehlo: '250-mail.test\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n',
  helo: '250 mail.test\r\n',
  starttls: '220 go ahead\r\n',
  auth: '235 welcome\r\n',
  login: '235 welcome\r\n',
  mail: '250 sender ok\r\n',
  rcpt: '250 recipient ok\r\n',
  data: '354 go on\r\n',
  message: '250 queued\r\n',
} as const satisfies FakeReplies;

/** `mail.test` where it is well: all that it says to one mail. */
export const WHOLE_SESSION = [
  usual.greeting,
  usual.ehlo,
  usual.mail,
  usual.rcpt,
  usual.data,
  usual.message,
].join('');

const stepOf: Readonly<Record<string, keyof FakeReplies>> = {
  EHLO: 'ehlo',
  HELO: 'helo',
  STARTTLS: 'starttls',
  AUTH: 'auth',
  MAIL: 'mail',
  RCPT: 'rcpt',
  DATA: 'data',
};

export const serveSmtp =
  (replies: FakeReplies, isGreeted = true) =>
  (socket: Socket): void => {
    const say = (step: keyof FakeReplies) => give(socket, replies[step] ?? usual[step]);
    let unread = '';
    let isMessage = false;
    socket.on('data', chunk => {
      unread += chunk.toString('latin1');
      for (let end = unread.indexOf('\n'); end !== -1; end = unread.indexOf('\n')) {
        const line = unread.slice(0, end).trimEnd();
        unread = unread.slice(end + 1);
        const step = stepOf[line.split(' ')[0]?.toUpperCase() ?? ''];
        if (isMessage && line !== '.') continue;
        say(isMessage ? 'message' : (step ?? 'login'));
        isMessage = !isMessage && step === 'data';
      }
    });
    if (isGreeted) say('greeting');
  };

/** The rest of the session within TLS, which begins after these bytes. */
export const thenTls =
  (before: string, certificate: KeyAndCertificate, replies: FakeReplies = {}): Answer =>
  socket => {
    socket.write(before);
    socket.removeAllListeners('data');
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext(certificate),
    });
    secured.on('error', () => socket.destroy());
    serveSmtp(replies, false)(secured);
  };
