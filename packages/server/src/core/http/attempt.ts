import type { Exchange } from './exchange.ts';
import type { OutgoingFailure } from './outgoing.ts';

/** What one attempt to deliver came to: a closed union that delivery decides by and records, and that a test shows. */
export type AttemptResult = Delivered | Failed;

interface AttemptFacts {
  readonly request: RequestSummary;
  /** The status the other side answered with, in its own protocol; null where there was no answer. */
  readonly status: number | null;
  /** The beginning of what it answered. */
  readonly response: string | null;
  readonly durationMs: number;
  /** Over HTTP, of what failed or was slow, and of a test. */
  readonly exchange?: Exchange;
}

interface Delivered extends AttemptFacts {
  readonly outcome: 'delivered';
}

export interface Failed extends AttemptFacts, OutgoingFailure {
  readonly outcome: 'failed';
  /** How long the other side asked to be left alone. */
  readonly retryAfterMs: number | null;
  /** It failed on this side, by what the delivery is: another attempt would too. */
  readonly isFinal?: true;
  /** The way to the other side was lost meanwhile: it is on record, is none of the budget, and says nothing of the destination. */
  readonly isUnspent?: true;
}

/** What was sent, for people to read: secrets are left out, long bodies are cut. */
export interface RequestSummary {
  /** `POST https://example.com/hook`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
