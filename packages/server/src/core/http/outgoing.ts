import type { FailureCode } from '@sluice/contract/failure';
import type { Phases } from './exchange.ts';

/** Outgoing connections as the stages see them: what may be asked of the one guarded client, and what comes of it. */
export type { FailureCode };

export interface OutgoingFailure {
  readonly code: FailureCode;
  /** A sentence for people. Never holds a secret. */
  readonly message: string;
}

/** How much of a response is kept where nobody asks for more. */
export const KEPT_RESPONSE_BYTES = 16 * 1024;

export interface OutgoingRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** A longer answer is cut there, and its status still counts. */
  readonly keptBytes?: number;
  /** Asked after any wait, right before it goes out: where it is not wanted any more, nothing is sent. */
  isStillWanted?(): Promise<boolean>;
}

/** It was not sent: while it waited for its turn it was paused, changed or withdrawn. */
export class NoLongerWanted extends Error {}

export type OutgoingResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Headers;
      readonly body: string;
      /** Whether there was more of the body than was kept. */
      readonly isCut: boolean;
      readonly phases?: Phases;
    }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure; readonly phases?: Phases };

export interface OutgoingHttp {
  /** Rejects only with `NoLongerWanted`: whatever goes wrong out there is a failure with its code. */
  request(request: OutgoingRequest): Promise<OutgoingResult>;
  /** Refuses, with a 400 that names `path`, a URL that could never be called. Asked when something is saved. */
  requireUsableUrl(url: string, path: string): Promise<void>;
}

/** What was sending it is gone, and nobody knows how far it came: that says nothing of the other side. */
export class SendingInterrupted extends Error {}
