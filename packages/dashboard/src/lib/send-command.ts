import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { quoted } from './as-curl.ts';
import { askFor, commandAskingForKey, inTurn } from './shell-command.ts';

/** Something to paste into a terminal that really sends an event. Where the secret is not known, it is asked for. */
export function sendCommand(source: SourceRecord, origin: string, secret: string | null): string | null {
  if (source.kind === 'system') return null;
  if (source.kind === 'sdk') {
    const events = [{ type: exampleType(source.match), payload: { id: 'A-1001' } }];
    return commandAskingForKey({ url: `${origin}/v1/ingest`, body: { events } });
  }
  // Nobody but the provider signs as it does, and a scheme of one's own is known to its sender.
  if (source.url === null || source.auth === 'provider' || source.auth === 'custom') return null;
  const body = '{"type":"order.paid","order":{"id":"A-1001","amount":42}}';
  if (source.auth === 'none') {
    return lines(`curl ${quoted(source.url)}`, `-H 'Content-Type: application/json'`, `-d ${quoted(body)}`);
  }
  const begin = secret === null ? askFor('SECRET', 'Its secret') : `SECRET=${quoted(secret)}`;
  if (source.auth === 'bearer') {
    return inTurn(
      begin,
      lines(
        `curl ${quoted(source.url)}`,
        `-H 'Content-Type: application/json'`,
        `-H "Authorization: Bearer $SECRET"`,
        `-d ${quoted(body)}`,
      ),
    );
  }
  return inTurn(
    begin,
    `BODY=${quoted(body)}`,
    `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`,
    lines(
      `curl ${quoted(source.url)}`,
      `-H 'Content-Type: application/json'`,
      `-H "X-Ingest-Signature: $SIGNATURE"`,
      `--data-binary "$BODY"`,
    ),
  );
}

/** A type that a glob matches: `order.*` is matched by `order.example`. */
const exampleType = (match: string): string => match.replaceAll('*', 'example');

const lines = (...parts: readonly string[]): string => parts.join(' \\\n  ');
