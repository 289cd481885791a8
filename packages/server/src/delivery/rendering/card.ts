import type { Scope } from '../../core/event/scope.ts';
import { type Json, type JsonObject, joinPath, stringifyJson } from '../../core/json/json.ts';
import { cutText, readableTime } from './text.ts';

/**
 * An event as a person wants to see it in a chat or a mail where no template says otherwise: what it is, the
 * facts in it that can be read at a glance, and how to find it again. Each kind draws it with its own means.
 */
export interface Card {
  /** Icon and type. */
  readonly title: string;
  readonly fields: readonly CardField[];
  /** Whether the event has more than is shown. */
  readonly hasMore: boolean;
  readonly eventId: string;
  readonly source: string | null;
  readonly happenedAt: number;
  /** `evt_… · 2026-01-31 12:00:00 UTC · Shop`. */
  readonly footer: string;
}

interface CardField {
  readonly name: string;
  readonly value: string;
}

const MOST_FIELDS = 10;
const MOST_NAME = 80;
const MOST_VALUE = 200;
const MOST_DEPTH = 4;
const DEFAULT_ICON = '📨';

export function cardOf(scope: Scope): Card {
  const { event, source } = scope;
  const fields: CardField[] = [];
  // Labels come first: they are why the event is here.
  const isWhole = gather(scope.labels, '', 1, fields) && gather(scope.payload, '', 1, fields);
  const happenedAt = event.timestamp.getTime();
  const footer = [event.id, readableTime(happenedAt), ...(source.name ? [source.name] : [])].join(' · ');
  return {
    title: `${event.icon || DEFAULT_ICON} ${event.type}`,
    fields,
    hasMore: !isWhole,
    eventId: event.id,
    source: source.name ?? null,
    happenedAt,
    footer,
  };
}

/** Collects what reads at a glance, in the order it stands; false once something had to be left out. */
function gather(value: JsonObject, path: string, depth: number, into: CardField[]): boolean {
  for (const key in value) {
    const inner = value[key] as Json;
    const name = joinPath(path, key);
    if (isObject(inner) && depth < MOST_DEPTH) {
      if (!gather(inner, name, depth + 1, into)) return false;
      continue;
    }
    const shown = atAGlance(inner);
    if (shown === '') continue;
    if (into.length === MOST_FIELDS) return false;
    into.push({ name: cutText(name, MOST_NAME), value: cutText(shown, MOST_VALUE) });
  }
  return true;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function atAGlance(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '';
    return value.some(item => typeof item === 'object')
      ? `${value.length} ${value.length === 1 ? 'item' : 'items'}`
      : value.slice(0, MOST_VALUE).map(atAGlance).join(', ');
  }
  return stringifyJson(value);
}
