/**
 * Outgoing connections as the stages see them: what may be asked of the one guarded client, and the closed set
 * of reasons why something did not arrive. People filter dead letters by these words, so they are stable.
 */
export const failureCodes = [
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns_failed',
  'tls_invalid',
  'address_not_allowed',
  'bad_status',
  'bad_response',
  'too_large',
  'rejected_by_destination',
  'destination_down',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export interface Failure {
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
}

export type OutgoingResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Headers;
      readonly body: string;
      /** Whether there was more of the body than was kept. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface OutgoingHttp {
  /** Never rejects: whatever goes wrong out there is a failure with its code. */
  request(request: OutgoingRequest): Promise<OutgoingResult>;
  /** Refuses, with a 400 that names `path`, a URL that could never be called. Asked when something is saved. */
  requireUsableUrl(url: string, path: string): Promise<void>;
}
