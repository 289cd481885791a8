import type { Limits } from '../ingest/limits.ts';
import type { Settings } from '../settings.ts';

/** So many of the largest bodies may be coming in at a time. */
const LARGE_BODIES_AT_ONCE = 16;

/** What large bodies may hold together while they come in. */
export const bodyRoomBytes = (settings: Settings): number =>
  LARGE_BODIES_AT_ONCE * settings.SLUICE_MAX_BODY_BYTES;

/** The limits of requests, as they were set. */
export const limitsOf = (settings: Settings): Limits => ({
  bodyBytes: settings.SLUICE_MAX_BODY_BYTES,
  eventBytes: settings.SLUICE_MAX_EVENT_BYTES,
  batchEvents: settings.SLUICE_MAX_BATCH_EVENTS,
  nesting: settings.SLUICE_MAX_NESTING,
  typeLength: settings.SLUICE_MAX_TYPE_LENGTH,
  iconLength: settings.SLUICE_MAX_ICON_LENGTH,
  idempotencyKeyLength: settings.SLUICE_MAX_IDEMPOTENCY_KEY_LENGTH,
});
