import { z } from 'zod';

/** What a sender may put into `POST /v1/ingest`, and what comes back. */
export interface EventLimits {
  readonly batchEvents: number;
  readonly typeLength: number;
  readonly iconLength: number;
}

export const defaultEventLimits: EventLimits = { batchEvents: 1_000, typeLength: 256, iconLength: 64 };

/** A character is a Unicode code point, not a UTF-16 unit. */
const hasLength = (text: string, least: number, most: number): boolean => {
  if (text.length < least) return false;
  if (text.length <= most) return true;
  return text.length <= most * 2 && [...text].length <= most;
};

/** What is checked here is what the API reference shows as `pattern`, in the few signs that every validator knows. */
const KIND = /^[a-z0-9_.-]{1,64}$/u;
const NO_CONTROL_CHARACTERS = /^[^\u0000-\u001f\u007f-\u009f]*$/u;

export const hasControlCharacters = (text: string): boolean => !NO_CONTROL_CHARACTERS.test(text);

export const textOf = (least: number, most: number) =>
  z
    .string()
    .refine(text => hasLength(text, least, most), `must have ${least} to ${most} characters.`)
    .meta({ minLength: least, maxLength: most });

/** Every URL library folds away a dot or two as a path segment: what is named so could never be fetched again. */
const DOTS = ['.', '..'];
const isNotDots = (text: string): boolean => !DOTS.includes(text);
const notDots = { not: { enum: DOTS } };

const KIND_IS = 'must have 1 to 64 characters of a-z, 0-9, "_", "." and "-", and be neither "." nor "..".';
export const entityKind = z
  .string()
  .regex(KIND, KIND_IS)
  .refine(isNotDots, KIND_IS)
  .meta({ examples: ['customer'], ...notDots });

const ID_IS = 'may hold no control characters and be neither "." nor "..".';
export const externalId = textOf(1, 256)
  .regex(NO_CONTROL_CHARACTERS, ID_IS)
  .refine(isNotDots, ID_IS)
  .meta({ examples: ['c_42'], ...notDots });

export const entityRef = z.strictObject({ kind: entityKind, external_id: externalId });

/** RFC 3339 with `Z` or an offset. */
const RFC3339 =
  /^\d{4}-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export const timestamp = z
  .string()
  .refine(
    text => RFC3339.test(text) && parseTimestamp(text) !== null,
    'must be an RFC 3339 time with Z or an offset, such as 2026-01-31T12:00:00Z.',
  )
  .meta({ format: 'date-time', examples: ['2026-01-31T12:00:00Z'] });

/** The same, read as milliseconds since 1970. */
export const moment = timestamp.transform(text => parseTimestamp(text) ?? 0);

/** An offset can carry a time out of the years that four digits can write. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Epoch milliseconds; null for a day that no calendar has. A leap second counts as the second before it. */
export function parseTimestamp(text: string): number | null {
  const plain = text.toUpperCase().replace(/:60(\.|Z|[+-])/, ':59$1');
  const ms = Date.parse(plain);
  if (Number.isNaN(ms) || ms < FIRST_MS || ms > LAST_MS) return null;
  const [, month = '', day = ''] = RFC3339.exec(text) ?? [];
  const year = Number(text.slice(0, 4));
  return Number(day) <= new Date(Date.UTC(year, Number(month), 0)).getUTCDate() ? Math.floor(ms) : null;
}

/** Any JSON object. Not `z.record`: that would drop a `__proto__` key, and a payload's keys are plain data. */
export const jsonObject = z
  .custom<Record<string, unknown>>(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
    { error: issue => (issue.input === undefined ? 'is required.' : 'must be an object.') },
  )
  .meta({ type: 'object', additionalProperties: true });

export const ingestEvent = (limits: EventLimits) =>
  z.strictObject({
    type: textOf(1, limits.typeLength).meta({
      description: 'What happened, for example as a dotted name.',
      examples: ['order.paid'],
    }),
    icon: textOf(0, limits.iconLength)
      .optional()
      .meta({
        description: 'An icon to show beside the event.',
        examples: ['💳'],
      }),
    payload: jsonObject.optional().meta({
      description: 'The body of the event, kept whole. Default: `{}`.',
      examples: [{ amount: 42 }],
    }),
    id: textOf(1, 255)
      .regex(NO_CONTROL_CHARACTERS, 'may hold no control characters.')
      .optional()
      .meta({
        description:
          'Your own id for this event, unique in your organisation: sending it again creates no second event.',
        examples: ['order-1001-paid'],
      }),
    timestamp: timestamp
      .optional()
      .meta({ description: 'When it happened, in RFC 3339. Default: when it was received.' }),
    entity: entityRef
      .optional()
      .meta({ description: 'Ties the event to an entity, which need not exist yet.' }),
  });

export const ingestBody = (limits: EventLimits) =>
  z.strictObject({
    events: z
      .array(ingestEvent(limits))
      .min(1, 'must hold at least one event.')
      .max(limits.batchEvents, `may hold at most ${limits.batchEvents} events.`)
      .meta({ description: 'All of them are stored, or none.' }),
  });

/** What has become of an event that was accepted. */
export const eventState = z.enum(['accepted', 'processed', 'dropped', 'unrouted', 'failed']);

export const acceptedEvent = z.object({
  id: z.string().meta({
    description: 'The id under which the event is stored.',
    examples: ['evt_01K9ZQ4T0V8N3YB6XJ2M5R7C1D'],
  }),
  duplicate: z.boolean().meta({ description: 'Whether it was stored by an earlier request already.' }),
});
