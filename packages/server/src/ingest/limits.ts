/** What the ingest endpoints accept at most; see the settings of the same names. */
export interface Limits {
  readonly bodyBytes: number;
  readonly eventBytes: number;
  readonly batchEvents: number;
  readonly nesting: number;
  readonly typeLength: number;
  readonly iconLength: number;
  readonly idempotencyKeyLength: number;
}
