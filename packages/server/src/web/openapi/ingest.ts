import { acceptedEvent, ingestBody, success } from '@sluice/contract';
import { z } from 'zod';
import { idempotencyKey } from './idempotency-key.ts';
import { type DocumentedLimits, sizeRules } from './limits.ts';
import { type PublicOperation, schemaRef } from './operation.ts';

/** `POST /v1/ingest`. */
export function ingestOperation(limits: DocumentedLimits): PublicOperation {
  const request = ingestBody(limits);
  return {
    method: 'post',
    path: '/v1/ingest',
    id: 'ingestEvents',
    tag: 'Events',
    summary: 'Send events',
    description: `Takes a batch of events, all or nothing: if one event is invalid, the error names its index and nothing is stored.

A 202 is answered once every event is on stable storage, never before. After a 5xx, or no answer at all, send the same request again: with an idempotency key or with an \`id\` in each event it creates no second event.

${sizeRules(limits)} A batch may hold ${limits.batchEvents} events. A field that is not listed here is refused, so that a misspelt name is not lost silently.`,
    security: ['apiKey'],
    parameters: [
      idempotencyKey(
        limits,
        'Covers the whole batch, in your organisation. The same key with the same body answers 202 with the first ids; with another body it answers 409.',
      ),
    ],
    body: {
      'application/json': {
        schema: schemaRef('IngestRequest'),
        examples: {
          one: {
            summary: 'One event',
            value: { events: [{ type: 'order.paid', icon: '💳', payload: { order: 1001, amount: 42.5 } }] },
          },
          all: {
            summary: 'Every field',
            value: {
              events: [
                {
                  type: 'order.paid',
                  icon: '💳',
                  payload: { order: 1001, amount: 42.5 },
                  id: 'order-1001-paid',
                  timestamp: '2026-01-31T12:00:00Z',
                  entity: { kind: 'customer', external_id: 'c_42' },
                },
              ],
            },
          },
        },
      },
    },
    answers: {
      202: {
        description:
          'Every event is on stable storage. The ids are in the order in which the events were sent.',
        schema: 'IngestAnswer',
        example: { data: { events: [{ id: 'evt_01K9ZQ4T0V8N3YB6XJ2M5R7C1D', duplicate: false }] } },
      },
    },
    errors: [
      'invalid_json',
      'invalid_encoding',
      'invalid_compression',
      'validation_failed',
      'unauthenticated',
      'method_not_allowed',
      'idempotency_conflict',
      'payload_too_large',
      'unsupported_media_type',
      'internal',
      'storage_unavailable',
    ],
    sample: baseUrl => `curl ${baseUrl}/v1/ingest \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"events": [
    {"type": "order.paid", "payload": {"order": 1001}}
  ]}'`,
    schemas: {
      IngestRequest: request,
      Event: request.shape.events.element,
      AcceptedEvent: acceptedEvent,
      IngestAnswer: success(z.object({ events: z.array(acceptedEvent) })),
    },
  };
}
