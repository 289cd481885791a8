import { parseTimestamp, timestamp } from '@sluice/contract/event';
import { z } from 'zod';
import { toRfc3339 } from '../../core/clock.ts';
import { invalid } from '../../core/errors.ts';
import { newSecret } from '../../core/secrets/vault.ts';
import { type Destination, type DestinationDeps, defineDestination } from '../destination.ts';
import { tokenField, urlField } from '../fields.ts';
import { post } from '../post.ts';
import { signBody } from '../sign.ts';

/** RFC 3339, as everywhere in a configuration that people read. What was rotated before that has milliseconds. */
const until = z.preprocess(value => (typeof value === 'number' ? toRfc3339(value) : value), timestamp);

const auth = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('none') }),
  z.strictObject({ mode: z.literal('bearer'), secret: tokenField.meta({ title: 'Token' }) }),
  z.strictObject({
    mode: z.literal('hmac'),
    secret: tokenField
      .optional()
      .meta({ title: 'Secret', description: 'Default: generated, and shown once.' }),
    // Rotation writes these two; a form only hands them on.
    previous_secret: tokenField
      .optional()
      .meta({ description: 'Also signs while it is being rotated out.', readOnly: true }),
    previous_secret_until: until
      .optional()
      .meta({ description: 'How long it does.', type: 'string', format: 'date-time', readOnly: true }),
  }),
]);

const config = z.strictObject({
  url: urlField.meta({ title: 'URL', examples: ['https://example.com/hook'] }),
  auth: auth.default({ mode: 'none' }).meta({ title: 'Authentication' }),
});

type Auth = z.output<typeof auth>;

const hmacAuth = z.object({ mode: z.literal('hmac'), previous_secret_until: until.optional() });

const momentOf = (until: string | undefined): number | null =>
  until === undefined ? null : parseTimestamp(until);

/** An HTTP request to any URL, signed where that is asked for. */
export const webhookDestination = defineDestination({
  name: 'webhook',
  title: 'Webhook',
  docs: [
    'POSTs each event as `{"type": …, "payload": …}` to an HTTPS endpoint of yours and expects a 2xx response.',
    'The headers `X-Service-Event-Id`, `X-Service-Delivery-Id` and `X-Service-Attempt` identify a repeated delivery.',
    'With `hmac`, `X-Service-Signature: t=<unix time>,v1=<hex>` carries the HMAC-SHA256 of `<t>.<raw body>` under',
    'the shared secret; while the secret is being rotated there are two `v1=`, and either may match.',
  ].join('\n'),
  config,
  secrets: ['auth.secret', 'auth.previous_secret'],
  examples: [
    {
      title: 'Signed',
      config: { url: 'https://example.com/hook', auth: { mode: 'hmac', secret: 'whsec_0123456789' } },
    },
    {
      title: 'With a token',
      config: { url: 'https://example.com/hook', auth: { mode: 'bearer', secret: 'token' } },
    },
    { title: 'Open', config: { url: 'https://example.com/hook' } },
  ],
  check: ({ url }, { client }) => client.requireUsableUrl(url, 'config.url'),

  generateSecret(given) {
    if (given.auth.mode !== 'hmac' || given.auth.secret !== undefined) return null;
    const secret = newSecret('whsec');
    return { config: { ...given, auth: { ...given.auth, secret } }, secret };
  },

  rotationOf(stored) {
    const hmac = hmacAuth.safeParse(stored.auth);
    return hmac.success ? { previousHoldsUntil: momentOf(hmac.data.previous_secret_until) } : null;
  },

  rotate(given, previousHoldsUntil) {
    if (given.auth.mode !== 'hmac') {
      throw invalid('config.auth.mode', 'Only the secret of an hmac signature can be rotated here.');
    }
    const secret = newSecret('whsec');
    const previous = given.auth.secret;
    const rotated = {
      mode: 'hmac' as const,
      secret,
      ...(previous === undefined
        ? {}
        : { previous_secret: previous, previous_secret_until: toRfc3339(previousHoldsUntil) }),
    };
    return { config: { ...given, auth: rotated }, secret };
  },

  prepare({ url, auth }, deps): Destination {
    const authenticate = authenticator(auth, deps);
    return {
      readsTraits: false,
      send({ id, attempt, event, payload, timeoutMs, isTest, isStillWanted }) {
        const body = `{"type":${JSON.stringify(event.type)},"payload":${payload}}`;
        const plain = {
          'content-type': 'application/json',
          'x-service-event-id': event.id,
          'x-service-delivery-id': id,
          'x-service-attempt': String(attempt),
        };
        const { sent, shown } = authenticate(body);
        const request = {
          url,
          body,
          timeoutMs,
          isTest,
          isStillWanted,
          headers: { ...plain, ...sent },
          shownHeaders: { ...plain, ...shown },
        };
        return post(request, { http: deps.client, clock: deps.clock });
      },
    };
  },
});

/** The headers that prove who sends: as they go out, and as people may see them. */
type Authenticate = (body: string) => {
  readonly sent: Readonly<Record<string, string>>;
  readonly shown: Readonly<Record<string, string>>;
};

function authenticator(auth: Auth, { clock }: Pick<DestinationDeps, 'clock'>): Authenticate {
  if (auth.mode === 'none') {
    const nothing = { sent: {}, shown: {} };
    return () => nothing;
  }
  if (auth.mode === 'bearer') {
    const headers = {
      sent: { authorization: `Bearer ${auth.secret}` },
      shown: { authorization: 'Bearer …' },
    };
    return () => headers;
  }
  const { secret, previous_secret: previous } = auth;
  const previousUntil = momentOf(auth.previous_secret_until) ?? 0;
  if (secret === undefined) throw invalid('config.auth.secret', 'config.auth.secret is required.');
  const only = [secret];
  const both = previous === undefined ? only : [secret, previous];
  return body => {
    const now = clock.now();
    // Each attempt has a signature of its own, and a signature gives nothing of the secret away.
    const signed = { 'x-service-signature': signBody(now < previousUntil ? both : only, body, now) };
    return { sent: signed, shown: signed };
  };
}
