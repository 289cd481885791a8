import { Problem } from '../../core/errors.ts';
import type { EventFilter, Storage } from '../../core/ports.ts';
import type { EntityFilter } from '../../core/ports-entities.ts';

/** So many searches of one organisation are under way at once: everybody reads through the same few connections. */
const AT_ONCE = 2;
/** More than all pages of an organisation that follow something search for at once. */
const MOST_WAITING = 100;

interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Storage for the dashboard, whose searches take turns within their organisation. A search goes through events for as
 * long as its budget allows, and a page that follows one searches again and again: many of them would leave no room
 * for anybody else. What an index answers never waits.
 */
export function searchInTurns<Searched extends Pick<Storage, 'listEvents' | 'listEntities'>>(
  storage: Searched,
): Searched {
  const lines = new Map<string, Line>();

  async function inTurn<Found>(orgId: string, search: () => Promise<Found>): Promise<Found> {
    const line: Line = lines.get(orgId) ?? { underWay: 0, waiting: [] };
    lines.set(orgId, line);
    if (line.underWay < AT_ONCE) line.underWay++;
    else {
      if (line.waiting.length >= MOST_WAITING)
        throw new Problem('rate_limited', {
          message: 'Too many searches are under way in this organisation. Try again shortly.',
          retryAfter: 5,
        });
      // Whoever has ended leaves its place to the next.
      await new Promise<void>(resolve => line.waiting.push(resolve));
    }
    try {
      return await search();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.underWay === 0) lines.delete(orgId);
    }
  }

  return {
    ...storage,
    listEvents: (orgId, filter, page) =>
      searchesEvents(filter)
        ? inTurn(orgId, () => storage.listEvents(orgId, filter, page))
        : storage.listEvents(orgId, filter, page),
    listEntities: (orgId, filter, page) =>
      searchesEntities(filter)
        ? inTurn(orgId, () => storage.listEntities(orgId, filter, page))
        : storage.listEntities(orgId, filter, page),
  };
}

/** By time and by the entity they are tied to, events stand in order. */
const searchesEvents = ({ after: _after, before: _before, entity: _entity, ...rest }: EventFilter): boolean =>
  Object.values(rest).some(value => value !== undefined);

const searchesEntities = ({ externalId, traits = [] }: EntityFilter): boolean =>
  externalId !== undefined || traits.length > 0;
