import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { KeyAndCertificate } from './tls.ts';

/** A mail as a real mail server took it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly isEncrypted: boolean;
  readonly user: string | null;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Sessions that were ever begun. */
  readonly sessions: () => number;
  stop(): Promise<void>;
}

export interface MailServerOptions {
  readonly certificate: KeyAndCertificate;
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  readonly offersStartTls?: boolean;
  readonly password?: string;
  readonly mostBytes?: number;
  /** What to refuse a recipient with. */
  readonly refuse?: (recipient: string) => { code: number; message: string } | null;
  /** Told of each mail before it is taken. */
  readonly onMail?: (mail: ReceivedMail) => void;
}

const refusal = (code: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode: code });

export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let sessions = 0;
  const settings: SMTPServerOptions = {
    ...options.certificate,
    secure: options.implicitTls ?? false,
    disabledCommands: [
      ...(options.offersStartTls === false ? (['STARTTLS'] as const) : []),
      ...(options.password === undefined ? (['AUTH'] as const) : []),
    ],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    ...(options.mostBytes === undefined ? {} : { size: options.mostBytes }),
    onConnect(_session, done) {
      sessions++;
      done();
    },
    onAuth(auth, _session, done) {
      if (auth.password === options.password) done(null, { user: auth.username });
      else done(refusal(535, 'Authentication failed'));
    },
    onRcptTo({ address }, _session, done) {
      const refused = options.refuse?.(address);
      if (refused) done(refusal(refused.code, refused.message));
      else done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(refusal(552, 'Message exceeds the size limit'));
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          isEncrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
        };
        mails.push(mail);
        options.onMail?.(mail);
        done();
      });
    },
  };
  const server = new SMTPServer(settings);
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await new Promise(resolve => listening.once('listening', resolve));
  const address = listening.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    mails,
    sessions: () => sessions,
    stop: () => new Promise(resolve => server.close(() => resolve())),
  };
}
