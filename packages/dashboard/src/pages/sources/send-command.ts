import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { quoted } from '../../components/as-curl.ts';

const SECRET_TO_FILL_IN = '<the secret>';

/** Something to paste into a terminal that really sends an event. Without the secret, there is a place for it. */
export function sendCommand(source: SourceRecord, origin: string, secret: string | null): string | null {
  if (source.kind === 'sdk') return sdkCommand(source.match, origin);
  if (source.url === null) return null;
  const body = '{"type":"order.paid","order":{"id":"A-1001","amount":42}}';
  const given = quoted(secret ?? SECRET_TO_FILL_IN);
  if (source.auth === 'none') {
    return lines(`curl ${quoted(source.url)}`, `-H 'Content-Type: application/json'`, `-d ${quoted(body)}`);
  }
  if (source.auth === 'bearer') {
    return [
      `SECRET=${given}`,
      lines(
        `curl ${quoted(source.url)}`,
        `-H 'Content-Type: application/json'`,
        `-H "Authorization: Bearer $SECRET"`,
        `-d ${quoted(body)}`,
      ),
    ].join('\n');
  }
  return [
    `SECRET=${given}`,
    `BODY=${quoted(body)}`,
    `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`,
    lines(
      `curl ${quoted(source.url)}`,
      `-H 'Content-Type: application/json'`,
      `-H "X-Ingest-Signature: $SIGNATURE"`,
      `--data-binary "$BODY"`,
    ),
  ].join('\n');
}

const sdkCommand = (match: string, origin: string): string =>
  lines(
    `curl ${quoted(`${origin}/v1/ingest`)}`,
    `-H 'Authorization: Bearer <an API key>'`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify({ events: [{ type: exampleType(match), payload: { id: 'A-1001' } }] }))}`,
  );

/** A type that a glob matches: `order.*` is matched by `order.example`. */
export const exampleType = (match: string): string => match.replaceAll('*', 'example');

const lines = (...parts: readonly string[]): string => parts.join(' \\\n  ');
