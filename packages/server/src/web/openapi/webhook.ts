import { acceptedEvent, success } from '@sluice/contract';
import { WEBHOOK_EVENT_TYPE } from '../../core/event/event.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { type DocumentedLimits, sizeRules } from './limits.ts';
import type { PublicOperation } from './operation.ts';

/** `POST /whk/{token}`. */
export function webhookOperation(limits: DocumentedLimits): PublicOperation {
  const order = { type: 'order.paid', order: 1001, amount: 42.5 };
  return {
    method: 'post',
    path: '/whk/{token}',
    id: 'receiveWebhook',
    tag: 'Webhooks',
    summary: 'Post to a webhook source',
    description: `Every POST becomes one event. The body is its payload, kept as the text that was sent; a string \`type\` in it becomes the type of the event, and without one the type is \`${WEBHOOK_EVENT_TYPE}\`. A JSON body that is no object is kept as \`{"body": …}\`. The fields of a form become an object, a field that repeats an array.

How the sender proves itself is chosen on the source: \`hmac\` (the default), \`bearer\`, or nothing at all, which is meant for local tests.

The checks come in this order: the token (404), whether the source is enabled (403), authentication (401), the rate of the source (429), the body (400, 413, 415). ${sizeRules(limits)}`,
    security: ['signature', 'sourceSecret', 'none'],
    parameters: [
      {
        name: 'token',
        in: 'path',
        required: true,
        description: 'The token of one webhook source: the last part of the URL that the dashboard shows.',
        schema: { type: 'string' },
      },
      {
        name: 'X-Ingest-Signature',
        in: 'header',
        required: false,
        description:
          'In hmac mode: the HMAC-SHA256 of the raw body under the secret of the source, as 64 lowercase hex characters. A prefixed (`sha256=…`) or timestamped (`t=…,v1=…`) signature is another scheme and is refused.',
        schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        example: '4f1b7a2c9d3e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcd',
      },
      idempotencyKey(
        limits,
        'Covers this source. A key that was seen before answers 202 with the first id, whatever the body, since providers change bodies between retries.',
      ),
    ],
    body: {
      'application/json': {
        schema: {},
        examples: { typed: { summary: 'A body that names its type', value: order } },
      },
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', additionalProperties: true },
        examples: { form: { summary: 'A form', value: order } },
      },
    },
    answers: {
      202: {
        description: 'The event is on stable storage.',
        schema: 'WebhookAnswer',
        example: { data: { id: 'evt_01K9ZQ4T0V8N3YB6XJ2M5R7C1D', duplicate: false } },
      },
    },
    errors: [
      'invalid_json',
      'invalid_encoding',
      'invalid_compression',
      'validation_failed',
      'unauthenticated',
      'source_disabled',
      'not_found',
      'method_not_allowed',
      'payload_too_large',
      'unsupported_media_type',
      'rate_limited',
      'internal',
      'storage_unavailable',
    ],
    sample: baseUrl => `body='{"type": "order.paid", "order": 1001}'
signature=$(printf %s "$body" |
  openssl dgst -sha256 -hmac "$SOURCE_SECRET" -r | cut -d' ' -f1)

curl ${baseUrl}/whk/$SOURCE_TOKEN \\
  -H "X-Ingest-Signature: $signature" \\
  -H 'Content-Type: application/json' \\
  -d "$body"`,
    schemas: { AcceptedEvent: acceptedEvent, WebhookAnswer: success(acceptedEvent) },
  };
}
