import { createEntityBodyReader, type EntityBodyReader, packEntities } from '../../core/entities/bodies.ts';
import { messageOf, Problem } from '../../core/errors.ts';
import { hashBody } from '../idempotency.ts';
import { proofIn } from '../providers/registry.ts';
import { carry, type FromBodyThread, packBatch, type ToBodyThread } from './protocol.ts';
import { type BatchReader, createBatchReader } from './read-batch.ts';
import { createWebhookReader, type WebhookReader } from './read-webhook.ts';

/** The inner end of the thread that reads large bodies. */
export function serveBodies(end: {
  post(message: FromBodyThread): void;
  onMessage(handle: (message: ToBodyThread) => void): void;
}): void {
  let readers: {
    readonly batch: BatchReader;
    readonly webhook: WebhookReader;
    readonly writes: EntityBodyReader;
  } | null = null;

  function read(message: Exclude<ToBodyThread, { kind: 'open' }>): FromBodyThread {
    if (readers === null) throw new Error('The thread has not been told its limits.');
    const { kind, bytes } = message;
    switch (kind) {
      case 'webhook':
        return { kind, content: readers.webhook(bytes, message.how) };
      case 'proof':
        return { kind, proof: proofIn(message.provider, bytes) };
      case 'entities':
        return { kind, packed: packEntities(readers.writes.entities(bytes)) };
      case 'traits':
        return { kind, traits: readers.writes.traits(bytes) };
      case 'batch': {
        const packed = packBatch(readers.batch(bytes));
        return { kind, packed, hash: message.isHashed ? hashBody(bytes) : null };
      }
    }
  }

  end.onMessage(message => {
    if (message.kind === 'open') {
      const { limits } = message;
      readers = {
        batch: createBatchReader(limits),
        webhook: createWebhookReader(limits),
        writes: createEntityBodyReader(limits),
      };
      return;
    }
    try {
      end.post(read(message));
    } catch (error) {
      end.post(
        error instanceof Problem
          ? { kind: 'refused', refusal: carry(error) }
          : { kind: 'failed', reason: messageOf(error) },
      );
    }
  });
}
