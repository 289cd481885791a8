import type { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { KEPT_RESPONSE_BYTES, NoLongerWanted, type OutgoingFailure } from '../../../core/http/outgoing.ts';
import type { DestinationDeps, OutgoingDelivery } from '../../destination.ts';
import { beforeDeadline } from '../../guarded-client/deadline.ts';
import { failureOfCode, timeoutFailure } from '../../guarded-client/failure.ts';
import { keptText, quoted } from '../../rendering/text.ts';
import { holdBack } from './hold-back.ts';
import { checkedTransport, TOO_MUCH_SAID } from './mail-connection.ts';

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
  // Whatever it still has to say after nodemailer has stopped listening.
  opened.socket.on('error', () => {});
  let isUnwanted = false;
  try {
    const transport = transportOver(opened.socket, opened.serverName, server, timeoutMs, deps.ca);
    // The server may take its time over the greeting, the login and the recipients.
    holdBack(transport, async () => {
      isUnwanted = !(await isStillWanted());
      return !isUnwanted;
    });
    const sent = transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true });
    const info = await beforeDeadline(sent, deadline.signal);
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
  const options = {
    host: server.host,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    tls: {
      rejectUnauthorized: true,
      ...(serverName === null ? {} : { servername: serverName }),
      ...(ca === undefined ? {} : { ca }),
    },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // The one place where nodemailer would connect by itself: it gets the guarded socket instead.
    connection: socket,
  };
  const credentials = server.user === undefined ? null : { user: server.user, pass: server.password ?? '' };
  return createTransport(checkedTransport(options, credentials));
}

/** Codes have three digits; what else a server begins its replies with is none. */
const statusOf = (response: string): number | null => {
  const status = /^[1-9]\d\d(?!\d)/.exec(response)?.[0];
  return status === undefined ? null : Number(status);
};

interface SmtpError extends Error {
  readonly code?: string;
  /** What the socket said, where `code` is nodemailer's own word for it. */
  readonly originalCode?: string;
  readonly response?: string;
}

function describe(error: unknown): SmtpResult {
  const { code = '', originalCode = '', message, response = null } = error as SmtpError;
  const status = response === null ? null : statusOf(response);
  const failed = (failure: OutgoingFailure): SmtpResult => ({
    kind: 'failed',
    status,
    response: response === null ? null : keptText(response, KEPT_RESPONSE_BYTES),
    failure,
  });
  if (status !== null && status >= 400 && code !== 'ETLS') {
    return failed({
      code: status === 552 ? 'too_large' : 'rejected_by_destination',
      message: `The mail server refused the mail with ${status}.`,
    });
  }
  const network = failureOfCode(code) ?? failureOfCode(originalCode);
  if (network !== null) return failed(network);
  if (code === TOO_MUCH_SAID) return failed({ code: 'bad_response', message });
  if (code === 'EPROTOCOL' || response !== null) {
    return failed({ code: 'bad_response', message: 'The answer was not that of a mail server.' });
  }
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE') {
    return failed({ code: 'rejected_by_destination', message: `The mail could not be sent: ${message}.` });
  }
  return failed({ code: 'connection_reset', message: 'The connection to the mail server was cut.' });
}
