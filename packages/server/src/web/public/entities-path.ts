import { relation } from '@sluice/contract/entity';
import { entityKind, externalId } from '@sluice/contract/event';
import { invalid } from '../../core/errors.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import { validate } from '../../core/http/validate.ts';

/**
 * What a path below the entities names. It is read off the URL as it was sent: a router would take `%2F` for a
 * slash or fold parts away, and an external id is kept exactly, whatever it holds.
 */
export interface EntityPlace {
  readonly kind: PlaceKind;
  /** As they were sent, still percent-encoded. */
  readonly segments: readonly string[];
}

export type PlaceKind = 'all' | 'one' | 'link' | (typeof parts)[number];

const parts = ['links', 'graph', 'identity', 'events'] as const;

/** Null: there is nothing there. Whether the names in it can be is asked later, when the caller is known. */
export function placeOf(request: Request, prefix: string): EntityPlace | null {
  const pathname = pathOf(request.url);
  if (pathname === prefix) return { kind: 'all', segments: [] };
  const segments = pathname.slice(prefix.length + 1).split('/');
  if (segments.length === 2) return { kind: 'one', segments };
  const part = parts.find(known => known === segments[2]);
  if (segments.length === 6 && part === 'links') return { kind: 'link', segments };
  return segments.length === 3 && part !== undefined ? { kind: part, segments } : null;
}

/** Between the host and the query. */
function pathOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.slice(begin).search(/[?#]/);
  return end < 0 ? url.slice(begin) : url.slice(begin, begin + end);
}

export const readEntity = ([kind = '', id = '']: readonly string[], at = ''): EntityRef => ({
  kind: validate(entityKind, decode(kind, `${at}kind`), `${at}kind`),
  externalId: validate(externalId, decode(id, `${at}external_id`), `${at}external_id`),
});

/** How the audit log names an entity. */
export const targetOf = ({ kind, externalId }: EntityRef): string => `${kind}/${externalId}`;

export function readLink(segments: readonly string[]) {
  const [, , , name = '', ...far] = segments;
  const [from, to] = [readEntity(segments), readEntity(far, 'to.')];
  if (from.kind === to.kind && from.externalId === to.externalId) {
    throw invalid('to.external_id', 'An entity cannot be linked to itself.');
  }
  return { relation: validate(relation, decode(name, 'relation'), 'relation'), from, to };
}

function decode(segment: string, path: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid(path, `${path} is not percent-encoded UTF-8.`);
  }
}
