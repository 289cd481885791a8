import { tailQuery } from '@sluice/contract/dashboard-events';
import { LOCAL_TAIL_PATH } from '@sluice/contract/local';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { invalid, Problem } from '../core/errors.ts';
import type { AccountStore } from '../core/stores/accounts.ts';
import type { Journal } from '../core/stores/journal.ts';
import type { LiveFeed } from '../telemetry/live-feed.ts';
import { createTail } from './dashboard/live/tail.ts';
import { toFilter } from './dashboard/monitor/event-filter.ts';
import { toProblem, toResponse } from './problem.ts';
import { readQuery } from './read-json.ts';

/**
 * What the socket in the data directory answers: the tail of one organisation. Whoever may open the socket may read the
 * database beside it, so nothing more is asked of them.
 */
export function createLocalRoutes(parts: {
  readonly accounts: Pick<AccountStore, 'listOrganisations'>;
  readonly journal: Pick<Journal, 'findEvents' | 'listEvents'>;
  readonly live: LiveFeed;
  readonly clock: Clock;
}): (request: Request) => Promise<Response> {
  const { accounts, journal, live, clock } = parts;

  async function findOrganisation(named: string | undefined): Promise<string> {
    const all = await accounts.listOrganisations();
    const found = all.filter(({ id, name }) => named === undefined || named === id || named === name);
    if (found.length === 1 && found[0] !== undefined) return found[0].id;
    const names = all.map(({ id, name }) => `${name} (${id})`).join(', ');
    throw invalid('organisation', `Specify the organisation, by name or id: ${names || 'there is none'}.`);
  }

  return async request => {
    try {
      if (new URL(request.url).pathname !== LOCAL_TAIL_PATH) throw new Problem('not_found');
      const { organisation, after_id: afterId = null, ...given } = readQuery(request, localQuery);
      const orgId = await findOrganisation(organisation);
      const look = createTail(
        {
          list: (filter, page) => journal.listEvents(orgId, filter, page),
          find: ids => journal.findEvents(orgId, ids),
        },
        { filter: toFilter(given), afterId, clock },
      );
      const viewer = { orgId, userId: 'the operator' };
      live.requireRoom(viewer);
      return new Response(live.stream(viewer, look), { headers: { 'Content-Type': 'text/event-stream' } });
    } catch (error) {
      return toResponse(toProblem(error));
    }
  };
}

const localQuery = tailQuery.extend({ organisation: z.string().max(256).optional() });
