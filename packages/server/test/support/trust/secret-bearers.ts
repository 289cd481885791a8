import { randomBytes } from 'node:crypto';
import type { AuthMode } from '../../../src/core/stores/configuration/sources.ts';
import { type Sample, samples, secretLike } from '../../contract/provider/samples.ts';
import { sign } from '../endpoints.ts';

/** Where destinations and models with secrets are reached in a test. */
export interface SecretBearers {
  /** An HTTP server that says again what it is sent. */
  readonly echoUrl: string;
  readonly mailPort: number;
  /** A real database, with its password. */
  readonly databaseUrl: string;
}

/** A text like no other, which secrets are made of. */
export const newCanary = (name: string): string => `canary-${name}-${randomBytes(12).toString('hex')}`;

type Configs = (secret: string, at: SecretBearers) => readonly Readonly<Record<string, unknown>>[];

/** A line for each kind of destination: configurations in which each of its secrets holds this text. */
export const destinationConfigs: Readonly<Record<string, Configs>> = {
  webhook: (secret, { echoUrl }) => [
    { url: `${echoUrl}/bearer`, auth: { mode: 'bearer', secret } },
    { url: `${echoUrl}/hmac`, auth: { mode: 'hmac', secret: `${secret}-hmac` } },
  ],
  slack: (secret, { echoUrl }) => [
    { url: `${echoUrl}/services/${secret}` },
    { bot_token: `xoxb-${secret}`, channel: '#a', base_url: echoUrl },
  ],
  discord: (secret, { echoUrl }) => [{ url: `${echoUrl}/api/webhooks/1/${secret}` }],
  telegram: (secret, { echoUrl }) => [{ bot_token: `123456:${secret}`, chat_id: 1, base_url: echoUrl }],
  email: (secret, { mailPort }) => [
    {
      host: '127.0.0.1',
      port: mailPort,
      security: 'none',
      user: 'sluice',
      password: secret,
      from: 'a@example.com',
      to: ['b@example.com'],
    },
  ],
  postgres: (secret, { databaseUrl }) => [
    { connection_string: `${databaseUrl}?application_name=${secret}`, table: 'events' },
  ],
  notion: (secret, { echoUrl }) => [
    { token: secret, database_id: 'd9824bdc84454327be8b5b47500af6ce', base_url: echoUrl },
  ],
  listener: secret => [{ signing_secret: `whsec_${secret}` }],
  inbox: () => [{}],
};

/** A line for each kind of step that has secrets. */
export const stepConfigs: Readonly<Record<string, Configs>> = {
  classify: (secret, { echoUrl }) =>
    ['openai-compatible', 'anthropic'].map(provider => ({
      label: 'mood',
      labels: ['good', 'bad'],
      prompt: '?',
      model: { provider, base_url: echoUrl, name: 'm', api_key: secret },
      on_error: 'default',
      default_label: 'unknown',
    })),
};

/** A webhook source with secrets, and how a sender shows that it has them. */
interface SecretSource {
  readonly name: string;
  /** Whether anybody may send to it. */
  readonly isOpen?: boolean;
  /** The text in the form of its secret. */
  secretLike(text: string): string;
  /** Of the body that makes it; of these, `secret` and `verify_token` hold the secret. Empty: one is made. */
  given(secret: string): Readonly<Record<string, unknown>>;
  /** A genuine request. */
  send(url: string, secret: string): SentRequest;
  /** What it is answered. */
  readonly status: number;
}

interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ofMode = (
  name: AuthMode,
  headers: (secret: string) => Readonly<Record<string, string>>,
  given: SecretSource['given'] = () => ({}),
): SecretSource => ({
  name,
  isOpen: name === 'none',
  secretLike: text => text,
  given,
  send: (url, secret) => ({ url, headers: headers(secret), body: '{}' }),
  status: 202,
});

const ofProvider = (sample: Sample): SecretSource => ({
  name: sample.name,
  isOpen: sample.isOpen ?? false,
  secretLike: text => secretLike(sample, text),
  given(secret) {
    const { private_key: _, ...keys } = sample.keys;
    return {
      provider: sample.name,
      ...keys,
      ...(keys.secret === undefined ? {} : { secret }),
      ...(keys.verify_token === undefined ? {} : { verify_token: `${secret}-to-verify` }),
    };
  },
  send(url, secret) {
    const { body: draft, contentType = 'application/json' } = sample;
    const keys = { ...sample.keys, secret };
    const signed = sample.sign({ url, body: draft, at: Math.floor(Date.now() / 1_000) }, keys);
    const headers = { 'Content-Type': contentType, ...sample.headers, ...signed.headers };
    return { url: signed.url ?? url, headers, body: signed.body ?? draft };
  },
  status: sample.status ?? 202,
});

/** Lines for each mode in which a source knows its senders: the compiler asks for those of a new one. */
export const sourceSecrets: Readonly<Record<AuthMode, readonly SecretSource[]>> = {
  hmac: [ofMode('hmac', secret => ({ 'X-Ingest-Signature': sign(secret, '{}') }))],
  bearer: [ofMode('bearer', secret => ({ Authorization: `Bearer ${secret}` }))],
  none: [ofMode('none', secret => ({ Authorization: `Bearer ${secret}` }))],
  // Each preset has its sample. Amazon SNS shares no secret, and its certificate would have to be fetched there.
  provider: samples.filter(({ name }) => name !== 'sns').map(ofProvider),
  custom: [
    ofMode(
      'custom',
      secret => ({ 'X-Own': sign(secret, '{}') }),
      secret => ({
        secret,
        scheme: { header: 'x-own', algorithm: 'sha256', encoding: 'hex', signed: '{body}' },
      }),
    ),
  ],
};
