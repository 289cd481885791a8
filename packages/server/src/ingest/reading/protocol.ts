import type { ErrorCode, Problem } from '../../core/errors.ts';
import type { NewEvent } from '../../core/event/event.ts';
import { newId } from '../../core/ids.ts';
import { TextReader, TextWriter } from '../../core/threads/packed-text.ts';
import type { Limits } from '../limits.ts';
import type { Extracted, Proof } from '../verification/received.ts';
import { type BatchEvent, happenedAt, payloadOf } from './read-batch.ts';
import type { WebhookContent, WebhookReading } from './read-webhook.ts';

/** What goes between the endpoints and the thread that reads large bodies. */
export type ToBodyThread =
  | { readonly kind: 'open'; readonly limits: Limits }
  | { readonly kind: 'batch'; readonly bytes: Uint8Array; readonly isHashed: boolean }
  | { readonly kind: 'webhook'; readonly bytes: Uint8Array; readonly how: WebhookReading }
  /** What a provider's signature needs of its body: see `Preset.proofIn`. */
  | { readonly kind: 'proof'; readonly bytes: Uint8Array; readonly provider: string }
  /** Of a write of entities: see `EntityBodyReader`. */
  | { readonly kind: 'entities' | 'traits'; readonly bytes: Uint8Array };

/** One for each body, in their order. */
export type FromBodyThread =
  | {
      readonly kind: 'batch';
      /** See `unpackBatch`. */
      readonly packed: string;
      readonly hash: string | null;
    }
  | { readonly kind: 'webhook'; readonly content: WebhookContent }
  | { readonly kind: 'proof'; readonly proof: Extracted<Proof> }
  /** See `unpackEntities`. */
  | { readonly kind: 'entities'; readonly packed: string }
  | { readonly kind: 'traits'; readonly traits: string }
  | { readonly kind: 'refused'; readonly refusal: CarriedProblem }
  /** A defect of ours. */
  | { readonly kind: 'failed'; readonly reason: string };

/** An error loses its class on the way. */
interface CarriedProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string | undefined;
}

export const carry = ({ code, message, path }: Problem): CarriedProblem => ({ code, message, path });

/** Events as one text: as objects, a thousand of them would be copied value by value. */
export function packBatch(events: readonly BatchEvent[]): string {
  const writer = new TextWriter();
  for (const event of events) {
    writer
      .text(event.type)
      .textOrNull(event.icon ?? null)
      .text(payloadOf(event))
      .textOrNull(event.id ?? null)
      .textOrNull(event.entity?.kind ?? null)
      .textOrNull(event.entity?.external_id ?? null)
      .numberOrNull(happenedAt(event));
  }
  return writer.end();
}

/** Their ids are made here, as late as can be: lists go by them, and should not change behind somebody's back. */
export function unpackBatch(packed: string, receivedAt: number): NewEvent[] {
  const reader = new TextReader(packed);
  const events: NewEvent[] = [];
  while (reader.hasMore()) {
    events.push({
      id: newId('evt', receivedAt),
      type: reader.text(),
      icon: reader.textOrNull(),
      payload: reader.text(),
      senderId: reader.textOrNull(),
      entityKind: reader.textOrNull(),
      entityExternalId: reader.textOrNull(),
      happenedAt: reader.numberOrNull() ?? receivedAt,
    });
  }
  return events;
}
