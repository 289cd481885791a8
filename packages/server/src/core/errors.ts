/**
 * The one catalogue of what can go wrong at a boundary: a stable code, its status, and the sentence a caller
 * reads when nothing more exact is known. `docs/reference/errors.md` is generated from it.
 */
export const catalogue = {
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_encoding: { status: 400, message: 'The body is not valid UTF-8.' },
  invalid_compression: { status: 400, message: 'The body is not valid gzip.' },
  validation_failed: { status: 400, message: 'The request does not have the expected shape.' },
  invalid_cursor: { status: 400, message: 'The cursor was not issued by this service.' },
  unauthenticated: { status: 401, message: 'Authentication is missing or not valid.' },
  second_factor_required: {
    status: 401,
    message: 'This account also requires a code from its authenticator app.',
  },
  forbidden: { status: 403, message: 'Your role does not allow this.' },
  csrf_rejected: { status: 403, message: 'The request did not come from the dashboard itself.' },
  source_disabled: { status: 403, message: 'This source is disabled.' },
  not_found: { status: 404, message: 'Not found.' },
  method_not_allowed: { status: 405, message: 'This method is not allowed here.' },
  request_timeout: { status: 408, message: 'The body took too long to arrive.' },
  conflict: { status: 409, message: 'It already exists.' },
  idempotency_conflict: {
    status: 409,
    message: 'This idempotency key was used before with another body.',
  },
  limit_reached: { status: 409, message: 'The limit has been reached.' },
  version_conflict: { status: 409, message: 'It has changed since you read it.' },
  connection_not_here: {
    status: 409,
    message: 'This node does not have that connection: it has ended, or another node has it. Try again.',
  },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The body must be JSON in UTF-8.' },
  rate_limited: { status: 429, message: 'Too many requests; try again later.' },
  internal: { status: 500, message: 'Something went wrong on our side.' },
  storage_unavailable: {
    status: 503,
    message:
      'Storage cannot accept this now. Whether it was stored is unknown: retry with the same idempotency key or ids.',
  },
} as const;

export type ErrorCode = keyof typeof catalogue;

interface ProblemDetails {
  readonly message?: string;
  /** Points at the offending field: `events[2].type`. */
  readonly path?: string;
  /** Whole seconds, at least 1. */
  readonly retryAfter?: number;
  /** The methods that a 405 offers instead. */
  readonly allow?: string;
  /** More than its caller may know, for whoever looks into it later. */
  readonly reason?: string;
}

/** A refusal that its caller should read. Anything else that is thrown is a defect and answers `internal`. */
export class Problem extends Error {
  readonly status: number;
  readonly path: string | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: string | undefined;
  readonly reason: string | undefined;

  constructor(
    readonly code: ErrorCode,
    details: ProblemDetails = {},
  ) {
    super(details.message ?? catalogue[code].message);
    this.name = 'Problem';
    this.status = catalogue[code].status;
    // The body as a whole has no path.
    this.path = details.path === '' ? undefined : details.path;
    this.retryAfter = details.retryAfter;
    this.allow = details.allow;
    this.reason = details.reason;
  }
}

export const invalid = (path: string, message: string) => new Problem('validation_failed', { path, message });

/** Storage cannot be reached, or cannot write, for the moment: the same may succeed later. */
export const isStorageAway = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'storage_unavailable';

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
