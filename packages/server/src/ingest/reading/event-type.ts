import { Problem } from '../../core/errors.ts';
import { WEBHOOK_EVENT_TYPE } from '../../core/event/event.ts';
import { getPath, type Path } from '../../core/expressions/path.ts';
import { type JsonObject, longerThan } from '../../core/json/json.ts';
import type { Limits } from '../limits.ts';
import type { CompiledRules } from './body-rules.ts';

/** The type of a webhook event: as its rule says, else the body's `type`, else the common one. */
export function typeOfEvent(
  payload: JsonObject,
  rule: CompiledRules['type'],
  /** What the rule's header holds in this request. */
  header: string | null,
  limits: Limits,
): string {
  const type = (rule === null ? null : namedType(payload, rule, header)) ?? ownType(payload);
  if (longerThan(type, limits.typeLength)) {
    throw new Problem('validation_failed', {
      path: 'type',
      message: `type may have at most ${limits.typeLength} characters.`,
    });
  }
  return type;
}

function ownType(payload: JsonObject): string {
  const type = Object.hasOwn(payload, 'type') ? payload.type : undefined;
  return typeof type === 'string' && type !== '' ? type : WEBHOOK_EVENT_TYPE;
}

function namedType(
  payload: JsonObject,
  { path, prefix, andThen }: NonNullable<CompiledRules['type']>,
  header: string | null,
): string | null {
  const name = path === null ? header : textAt(payload, path);
  if (name === null || name === '') return null;
  const more = andThen === null ? null : textAt(payload, andThen);
  return more === null || more === '' ? prefix + name : `${prefix}${name}.${more}`;
}

/** A text or number there, as text; null where there is none. */
export function textAt(payload: JsonObject, path: Path): string | null {
  const value = getPath(payload, path);
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null;
}
