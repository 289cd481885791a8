import { success } from '@sluice/contract';
import { deleted, relation } from '@sluice/contract/entity';
import { entityKind, externalId } from '@sluice/contract/event';
import { catalogue, type ErrorCode } from '../../core/errors.ts';
import { CURSOR } from '../paging.ts';
import type { Parameter } from './operation.ts';
import { inlineSchema } from './schemas.ts';

/** What the calls of entities share in the reference. */

export const deletedAnswer = success(deleted);

export const anEntity = {
  kind: 'customer',
  external_id: 'c_42',
  traits: { plan: 'pro', seats: 5 },
  version: 3,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-02-03T08:15:30.250Z',
};

export const aLink = {
  relation: 'same_as',
  from: { kind: 'customer', external_id: 'c_42' },
  to: { kind: 'device', external_id: 'd_7' },
  created_at: '2026-02-03T08:15:30.250Z',
};

export const entityPath: readonly Parameter[] = [
  {
    name: 'kind',
    in: 'path',
    required: true,
    description: 'What it is: 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`; neither `.` nor `..`.',
    schema: inlineSchema(entityKind),
    example: 'customer',
  },
  {
    name: 'external_id',
    in: 'path',
    required: true,
    description:
      'Your own id for it: 1 to 256 characters, kept exactly. Percent-encode it: a slash is `%2F`. No control characters; neither `.` nor `..`.',
    schema: inlineSchema(externalId),
    example: 'c_42',
  },
];

export const linkPath: readonly Parameter[] = [
  ...entityPath,
  {
    name: 'relation',
    in: 'path',
    required: true,
    description:
      '`same_as` makes both ends one identity and has no direction. Any other relation has one, such as `member_of`.',
    schema: inlineSchema(relation),
    example: 'same_as',
  },
  {
    name: 'to_kind',
    in: 'path',
    required: true,
    description: 'The kind of the other end.',
    schema: inlineSchema(entityKind),
    example: 'device',
  },
  {
    name: 'to_external_id',
    in: 'path',
    required: true,
    description: 'The external id of the other end.',
    schema: inlineSchema(externalId),
    example: 'd_7',
  },
];

export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'Only if it is still this version, such as `3` or `"3"` (the `ETag` of an answer), or only if it exists: `*`. Otherwise 409.',
  schema: { type: 'string', pattern: '^(?:\\*|[0-9]+|"[0-9]+")$' },
  example: '"3"',
};

export const paging: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'How many at most.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  {
    name: 'cursor',
    in: 'query',
    required: false,
    description: '`next_cursor` of the previous page, unchanged. If that is null, there are no more pages.',
    schema: { type: 'string', pattern: CURSOR.source },
  },
];

const always: readonly ErrorCode[] = [
  'validation_failed',
  'unauthenticated',
  'method_not_allowed',
  'internal',
  'storage_unavailable',
];

const withBody: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_encoding',
  'invalid_compression',
  'payload_too_large',
  'unsupported_media_type',
];

/** In the order of the catalogue, which goes by status. */
export function errorsOf(options: {
  readonly body?: boolean;
  readonly more?: readonly ErrorCode[];
}): ErrorCode[] {
  const answered = new Set([...always, ...(options.body ? withBody : []), ...(options.more ?? [])]);
  return (Object.keys(catalogue) as ErrorCode[]).filter(code => answered.has(code));
}
