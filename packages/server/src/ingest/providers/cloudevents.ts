import { bearerOf } from '../credentials.ts';
import type { Verdict } from '../verification/mismatch.ts';
import type { PreparedProvider, Preset, ProviderKeys } from '../verification/preset.ts';
import type { Unread } from '../verification/received.ts';
import { schemeVerifier } from '../verification/scheme.ts';
import { isOneOf } from '../verification/token.ts';
import { chosenSecret } from './fields.ts';

const SIGNATURE = 'x-ingest-signature';

/** CloudEvents of whomsoever, verified as agreed on. */
function verifiers({ secrets, verifyWith }: ProviderKeys): PreparedProvider {
  switch (verifyWith) {
    case 'none':
      return { verify: () => null };
    case 'hmac':
      return {
        verifyUnread: ({ headers }) =>
          headers.has(SIGNATURE) ? undefined : { part: 'header_missing', header: SIGNATURE },
        verify: schemeVerifier(
          { header: SIGNATURE, algorithm: 'sha256', encoding: 'hex', signed: '{body}' },
          secrets,
        ),
      };
    case 'bearer': {
      const verify = (unread: Unread): Verdict => {
        const given = bearerOf(unread);
        if (given === null) return { part: 'header_missing', header: 'authorization: Bearer …' };
        return isOneOf(given, secrets) ? null : { part: 'token_differs', where: 'authorization' };
      };
      return { verify, verifyUnread: verify };
    }
  }
}

/** The sender asks whether it may send, and from where; it may, as often as its source's rate allows. */
function allowOrigin({ method, headers }: Request): Response | null {
  const origin = headers.get('webhook-request-origin');
  if (method !== 'OPTIONS' || origin === null) return null;
  const rate = headers.get('webhook-request-rate');
  return new Response(null, {
    headers: {
      Allow: 'POST',
      'WebHook-Allowed-Origin': origin,
      ...(rate === null ? {} : { 'WebHook-Allowed-Rate': '*' }),
    },
  });
}

export const cloudevents: Preset = {
  name: 'cloudevents',
  title: 'CloudEvents',
  also: ['Knative', 'Google Eventarc', 'Event Grid with the CloudEvents schema'],
  steps: [
    'Create this source.',
    'Give its URL to the sender, with the secret as agreed on: as a bearer token, or to sign with.',
  ],
  documentation: 'CloudEvents: HTTP protocol binding; HTTP 1.1 web hooks for event delivery',
  fields: {
    secret: chosenSecret,
    verify_with: { label: 'Verified by', hint: 'A bearer token, an HMAC in X-Ingest-Signature, or nothing.' },
  },
  signature: 'As chosen: a bearer token, HMAC-SHA256 of the body in `X-Ingest-Signature`, or none.',
  note: 'Structured, binary and batch mode. Each event of a batch becomes one event. OPTIONS with `WebHook-Request-Origin` is answered.',
  secretHeaders: [SIGNATURE],
  prepare: keys => ({ ...verifiers(keys), challenge: allowOrigin }),
  body: { isCloudEvent: true },
};
