import type { SourceRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { formatNumber } from '../../lib/format.ts';

type Auth = WebhookSourceRecord['auth'];

/** How a sender shows that it may send, in words for people who have to choose. */
export const authLabels: Readonly<Record<Auth, { readonly title: string; readonly meaning: string }>> = {
  hmac: {
    title: 'Signed (hmac)',
    meaning:
      'The sender signs the raw body with the secret. Requests cannot be forged or altered in transit.',
  },
  bearer: {
    title: 'Token (bearer)',
    meaning:
      'The sender passes the secret in its Authorization header. For senders that cannot sign, or sign in another way.',
  },
  none: {
    title: 'Open (none)',
    meaning: 'No authentication: anyone who knows the URL can send. For local tests.',
  },
  provider: {
    title: 'Signed (provider)',
    meaning: 'Requests are verified in the scheme of a provider that Sluice knows.',
  },
  custom: {
    title: 'Custom scheme',
    meaning: 'The sender signs with an HMAC in a header, in a form that you describe.',
  },
};

export const openWarning =
  'Anyone who learns this URL can send events, and nobody can tell theirs from yours. Choose signed or token before you use it for real.';

/** `100 req/s, burst 200` */
export const describeRateLimit = (rate: WebhookSourceRecord['rate']): string =>
  rate.per_second === 0 ? formatRate(rate) : `${formatRate(rate)}, burst ${formatNumber(rate.burst)}`;

/** `100 req/s` */
function formatRate({ per_second }: WebhookSourceRecord['rate']): string {
  if (per_second === 0) return 'no limit';
  const [amount, unit] = perUnit(per_second);
  return `${round(amount)} ${unit}`;
}

function perUnit(perSecond: number): [number, string] {
  if (perSecond >= 1) return [perSecond, 'req/s'];
  return perSecond * 60 >= 1 ? [perSecond * 60, 'req/min'] : [perSecond * 3_600, 'req/h'];
}

const round = (n: number): string => n.toLocaleString('en', { maximumFractionDigits: 2 });

/** What tells one source from another in a list. */
export function describeSource(source: SourceRecord): string {
  if (source.kind === 'system') return 'system events';
  return source.kind === 'sdk' ? source.match : (source.provider ?? authLabels[source.auth].title);
}

const unauthenticated: Readonly<Record<Auth, string>> = {
  hmac: 'X-Ingest-Signature must be the HMAC-SHA256 of the raw bytes that are sent, under this source’s secret: 64 lowercase hex characters with nothing before them. A body that was parsed and re-serialised has different bytes. A sender that signs in another form (sha256=…, t=…,v1=…) needs a source of its provider, or a custom scheme.',
  bearer:
    'The request needs the header “Authorization: Bearer <secret>”, with this source’s secret, not the token of its URL.',
  none: 'This source required a secret at the time; it no longer does.',
  provider:
    'The message says which part of the signature did not match. If only the signature differs, the secret here is usually not the one that the provider signs with: paste it again under Settings. Proxies that change bodies break signatures too.',
  custom:
    'The message says which part of the signature did not match. Compare the scheme under Settings with what the sender signs.',
};

const hints: Readonly<Record<string, string>> = {
  rate_limited:
    'The rate limit was exceeded. Senders that honour Retry-After retry; otherwise raise the limit below.',
  source_disabled: 'The source is disabled. Enable it to accept events again.',
  invalid_json: 'The body must be JSON. Check that it is complete and matches its Content-Type.',
  invalid_encoding: 'The body must be UTF-8.',
  invalid_compression:
    'The body is declared as gzip but is not. Send it uncompressed, or gzip it as a whole.',
  unsupported_media_type: 'Send the body as application/json, or as a form.',
  payload_too_large:
    'The event is larger than this installation accepts. Send less, or have the operator raise the limit.',
  validation_failed: 'The body is JSON but cannot be kept as it is. The message names the field.',
  idempotency_conflict: 'Each event needs an idempotency key of its own.',
  storage_unavailable: 'The service could not store it then. Senders that retry lose nothing.',
};

/** What to do about a refused request. */
export const hintFor = (code: string, auth: Auth): string =>
  code === 'unauthenticated' ? unauthenticated[auth] : (hints[code] ?? 'The message says what was wrong.');

/** The reason in two words. */
export function refusalTitle(code: string, auth: Auth): string {
  if (code === 'unauthenticated') return auth === 'bearer' ? 'bad token' : 'bad signature';
  return refusalTitles[code] ?? code.replaceAll('_', ' ');
}

const refusalTitles: Readonly<Record<string, string>> = {
  rate_limited: 'rate limited',
  source_disabled: 'disabled',
  invalid_json: 'not JSON',
  unsupported_media_type: 'not JSON',
  invalid_encoding: 'not UTF-8',
  payload_too_large: 'too large',
};
