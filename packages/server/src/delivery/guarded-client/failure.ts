import type { OutgoingFailure } from '../../core/http/outgoing.ts';

/**
 * The codes that sockets and TLS report, sorted into ours. SMTP and PostgreSQL clients pass the same codes on,
 * so one table serves every protocol.
 */
const NEVER_REACHED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ENETDOWN',
  'EACCES',
  'EPERM',
]);
const CUT = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);
const TIMED_OUT = new Set(['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT']);
const BAD_CERTIFICATE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|CRL_|EPROTO$|ETLS$)/;

/** What a thrown error means; null where it is none of the network's. */
export const networkFailure = (error: unknown): OutgoingFailure | null => failureOfCode(codeOf(error));

export function failureOfCode(code: string): OutgoingFailure | null {
  if (NEVER_REACHED.has(code)) {
    return { code: 'connection_refused', message: `No connection could be made (${code}).` };
  }
  if (CUT.has(code))
    return { code: 'connection_reset', message: 'The connection was cut before a response arrived.' };
  if (TIMED_OUT.has(code)) return timeoutFailure;
  if (BAD_CERTIFICATE.test(code)) {
    return { code: 'tls_invalid', message: `The certificate or the TLS handshake was not valid (${code}).` };
  }
  return null;
}

export const timeoutFailure: OutgoingFailure = {
  code: 'timeout',
  message: 'No complete response within the timeout.',
};

const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
};
