import type { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { NoLongerWanted, type OutgoingFailure } from '../../../core/http/outgoing.ts';
import type { DestinationDeps, OutgoingDelivery } from '../../destination.ts';
import { beforeDeadline } from '../../guarded-client/deadline.ts';
import { failureOfCode, timeoutFailure } from '../../guarded-client/failure.ts';
import { quoted } from '../../rendering/text.ts';
import { holdBack } from './hold-back.ts';

interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: 'none' | 'starttls' | 'tls';
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

type SmtpResult =
  | { readonly kind: 'accepted'; readonly status: number | null; readonly response: string }
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly response: string | null;
      readonly failure: OutgoingFailure;
    };

/** One mail over a connection of its own, to a checked address; everything has to be over by the deadline. */
export async function sendMail(
  server: SmtpServer,
  mail: SendMailOptions,
  { timeoutMs, isStillWanted }: Pick<OutgoingDelivery, 'timeoutMs' | 'isStillWanted'>,
  deps: Pick<DestinationDeps, 'client' | 'ca'>,
): Promise<SmtpResult> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const opened = await deps.client.openSocket(server.host, server.port, deadline.signal);
  if (opened.kind === 'failed') {
    clearTimeout(timer);
    return { kind: 'failed', status: null, response: null, failure: opened.failure };
  }
  let isUnwanted = false;
  try {
    const transport = transportOver(opened.socket, opened.serverName, server, timeoutMs, deps.ca);
    // The server may take its time over the greeting, the login and the recipients.
    holdBack(transport, async () => {
      isUnwanted = !(await isStillWanted());
      return !isUnwanted;
    });
    const info = await beforeDeadline(transport.sendMail(mail), deadline.signal);
    const refused = info.rejected.length > 0 ? ` (refused: ${info.rejected.map(String).join(', ')})` : '';
    return {
      kind: 'accepted',
      status: statusOf(info.response),
      response: quoted(`${info.response}${refused}`),
    };
  } catch (error) {
    if (isUnwanted) throw new NoLongerWanted();
    return deadline.signal.aborted
      ? { kind: 'failed', status: null, response: null, failure: timeoutFailure }
      : describe(error);
  } finally {
    clearTimeout(timer);
    opened.socket.destroy();
  }
}

function transportOver(
  socket: Socket,
  serverName: string | null,
  server: SmtpServer,
  timeoutMs: number,
  ca: string | undefined,
) {
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    ...(server.user === undefined ? {} : { auth: { user: server.user, pass: server.password ?? '' } }),
    ...(serverName === null ? {} : { servername: serverName }),
    tls: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    // The one place where nodemailer would connect by itself: it gets the guarded socket instead.
    getSocket: (_options, hand) => hand(null, { connection: socket }),
  });
}

const statusOf = (response: string): number | null => {
  const status = Number(/^\d{3}/.exec(response)?.[0] ?? Number.NaN);
  return Number.isNaN(status) ? null : status;
};

interface SmtpError extends Error {
  readonly code?: string;
  /** What the socket said, where `code` is nodemailer's own word for it. */
  readonly originalCode?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

function describe(error: unknown): SmtpResult {
  const { code = '', originalCode = '', message, response = null, responseCode = null } = error as SmtpError;
  const failed = (failure: OutgoingFailure): SmtpResult => ({
    kind: 'failed',
    status: responseCode,
    response,
    failure,
  });
  if (responseCode !== null && code !== 'ETLS') {
    const isTooLarge = responseCode === 552;
    return failed({
      code: isTooLarge ? 'too_large' : 'rejected_by_destination',
      message: `The mail server refused the mail with ${responseCode}.`,
    });
  }
  const network = failureOfCode(code) ?? failureOfCode(originalCode);
  if (network !== null) return failed(network);
  if (code === 'EPROTOCOL')
    return failed({ code: 'bad_response', message: 'The answer was not that of a mail server.' });
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE') {
    return failed({ code: 'rejected_by_destination', message: `The mail could not be sent: ${message}.` });
  }
  return failed({ code: 'connection_reset', message: 'The connection to the mail server was cut.' });
}
