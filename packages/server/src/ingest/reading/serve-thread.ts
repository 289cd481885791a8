import { messageOf, Problem } from '../../core/errors.ts';
import { hashBody } from '../idempotency.ts';
import { carry, type FromBodyThread, packBatch, type ToBodyThread } from './protocol.ts';
import { type BatchReader, createBatchReader } from './read-batch.ts';
import { createWebhookReader, type WebhookReader } from './read-webhook.ts';

/** The inner end of the thread that reads large bodies. */
export function serveBodies(end: {
  post(message: FromBodyThread): void;
  onMessage(handle: (message: ToBodyThread) => void): void;
}): void {
  let readers: { readonly batch: BatchReader; readonly webhook: WebhookReader } | null = null;

  function read(message: Exclude<ToBodyThread, { kind: 'open' }>): FromBodyThread {
    if (readers === null) throw new Error('The thread has not been told its limits.');
    if (message.kind === 'webhook')
      return { kind: 'webhook', content: readers.webhook(message.bytes, message.media) };
    const packed = packBatch(readers.batch(message.bytes));
    return { kind: 'batch', packed, hash: message.isHashed ? hashBody(message.bytes) : null };
  }

  end.onMessage(message => {
    if (message.kind === 'open') {
      const { limits } = message;
      readers = { batch: createBatchReader(limits), webhook: createWebhookReader(limits) };
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
