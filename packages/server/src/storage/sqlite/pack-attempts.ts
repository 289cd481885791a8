import type { EndedAttempt } from '../../core/stores/delivery-queue.ts';
import { TextReader, TextWriter } from '../../core/threads/packed-text.ts';
import { keptRequest } from '../kept-attempt.ts';

/** Attempts as they cross the threads: each does so with what is kept of what was sent, and what was answered. */

export function packAttempts(records: readonly EndedAttempt[]): string {
  const writer = new TextWriter();
  for (const record of records) {
    const { orgId, deliveryId, token, attempt, next } = record;
    writer
      .text(orgId)
      .text(deliveryId)
      .text(token)
      .number(attempt.n)
      .number(attempt.at)
      .number(attempt.durationMs)
      .numberOrNull(attempt.status)
      .textOrNull(attempt.code)
      .textOrNull(attempt.message)
      .text(keptRequest(record))
      .text(attempt.response)
      .textOrNull(attempt.exchange ?? null)
      .textOrNull(next.state === 'delivered' && next.lateAt === undefined ? null : JSON.stringify(next));
  }
  return writer.end();
}

export function unpackAttempts(packed: string): EndedAttempt[] {
  const reader = new TextReader(packed);
  const records: EndedAttempt[] = [];
  while (reader.hasMore()) {
    const [orgId, deliveryId, token] = [reader.text(), reader.text(), reader.text()];
    const attempt = {
      n: reader.number(),
      at: reader.number(),
      durationMs: reader.number(),
      status: reader.numberOrNull(),
      code: reader.textOrNull(),
      message: reader.textOrNull(),
      request: reader.text(),
      response: reader.text(),
    };
    const exchange = reader.textOrNull();
    const next = reader.textOrNull();
    records.push({
      orgId,
      deliveryId,
      token,
      attempt: exchange === null ? attempt : { ...attempt, exchange },
      next: next === null ? { state: 'delivered' } : (JSON.parse(next) as EndedAttempt['next']),
    });
  }
  return records;
}
