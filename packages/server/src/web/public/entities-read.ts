import { entityEventsQuery, graphQuery, linksQuery } from '@sluice/contract/entity';
import { z } from 'zod';
import { seconds } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import type { EntityActions, EntityStore, EventOfEntity } from '../../core/stores/entities.ts';
import type { Cursors } from '../paging.ts';
import { readQuery } from '../read-json.ts';
import { readListQuery } from './entities-query.ts';
import {
  answerJson,
  entityJson,
  eventJson,
  graphJson,
  identityJson,
  linkRecord,
} from './entities-records.ts';

/** A list goes on searching for this long, then answers what it has and where to go on. */
const SEARCH_BUDGET_MS = seconds(1);

/** What can be read of an organisation's entities: the same for programs and for the dashboard. */
interface EntityReads {
  /** Searches entities, or as whoever asks would have it searched. */
  list(orgId: string, request: Request, search?: EntityStore['listEntities']): Promise<Response>;
  links(orgId: string, entity: EntityRef, request: Request): Promise<Response>;
  graph(orgId: string, entity: EntityRef, request: Request): Promise<Response>;
  identity(orgId: string, entity: EntityRef, request: Request): Promise<Response>;
  /** Each as JSON, or as whoever asks would have it written. */
  events(orgId: string, entity: EntityRef, request: Request, write?: WriteEvents): Promise<Response>;
}

type WriteEvents = (events: readonly EventOfEntity[]) => Promise<readonly string[]>;
const writeAsTheyAre: WriteEvents = async events => events.map(event => eventJson(event));

export interface EntityReadsDependencies {
  readonly entities: Pick<
    EntityStore,
    | 'findEntity'
    | 'findEntityGraph'
    | 'findIdentityMembers'
    | 'listEntities'
    | 'listEntityLinks'
    | 'listEventsOfEntity'
  >;
  readonly actions: Pick<EntityActions, 'identityOf'>;
  readonly cursors: Cursors;
}

export function createEntityReads({ entities, actions, cursors }: EntityReadsDependencies): EntityReads {
  function openPage(list: readonly string[], query: { limit: number; cursor?: string | undefined }) {
    const scope = list.join('\n');
    return {
      page: {
        limit: query.limit,
        position: query.cursor === undefined ? null : cursors.read(scope, query.cursor),
      },
      answer(rows: readonly string[], next: string | null) {
        const cursor = next === null ? 'null' : JSON.stringify(cursors.issue(scope, next));
        return new Response(`{"data":[${rows.join(',')}],"next_cursor":${cursor}}`, {
          headers: { 'Content-Type': 'application/json;charset=utf-8' },
        });
      },
    };
  }

  return {
    async list(orgId, request, search = entities.listEntities) {
      const { filter, ...query } = readListQuery(request);
      const { page, answer } = openPage(['entities', orgId], query);
      const found = await search(orgId, filter, { ...page, budgetMs: SEARCH_BUDGET_MS });
      return answer(
        found.entities.map(entity => entityJson(entity)),
        found.next,
      );
    },

    async links(orgId, entity, request) {
      const query = readQuery(request, linksQuery);
      const direction = query.direction ?? null;
      const list = ['entity links', orgId, entity.kind, entity.externalId, direction ?? ''];
      const { page, answer } = openPage(list, query);
      const found = await entities.listEntityLinks(orgId, entity, direction, page);
      if (found === null) throw new Problem('not_found');
      return answer(
        found.links.map(link => JSON.stringify(linkRecord(link))),
        found.next,
      );
    },

    async graph(orgId, entity, request) {
      const { depth } = readQuery(request, graphQuery);
      const graph = await entities.findEntityGraph(orgId, entity, depth);
      if (graph === null) throw new Problem('not_found');
      return answerJson(graphJson(graph));
    },

    async identity(orgId, entity, request) {
      readQuery(request, z.strictObject({}));
      const identity = await actions.identityOf(orgId, entity);
      if (identity === null) throw new Problem('not_found');
      return answerJson(identityJson(identity));
    },

    async events(orgId, entity, request, write = writeAsTheyAre) {
      const query = readQuery(request, entityEventsQuery);
      const list = ['entity events', orgId, entity.kind, entity.externalId, String(query.identity)];
      const { page, answer } = openPage(list, query);
      const members = query.identity ? await membersOf(orgId, entity) : [entity];
      const { events, next } = await entities.listEventsOfEntity(orgId, members, page);
      // Events refer to an entity by name and outlive it: only where there is neither of them is there nothing.
      const isEmpty = events.length === 0 && page.position === null;
      if (isEmpty && (await entities.findEntity(orgId, entity)) === null) throw new Problem('not_found');
      return answer(await write(events), next);
    },
  };

  async function membersOf(orgId: string, entity: EntityRef): Promise<readonly EntityRef[]> {
    return (await entities.findIdentityMembers(orgId, entity))?.members ?? [entity];
  }
}
