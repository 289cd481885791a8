import { deleteQuery } from '@sluice/contract/entity';
import type { Hono } from 'hono';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { AuditEntry } from '../../core/stores/configuration/audit.ts';
import type { EntityActions, EntityStore } from '../../core/stores/entities.ts';
import { answer } from '../answer.ts';
import type { WebEnv } from '../env.ts';
import { readQuery } from '../read-json.ts';
import {
  type EntityPlace,
  type PlaceKind,
  placeOf,
  readEntity,
  readLink,
  targetOf,
} from './entities-path.ts';
import { readIfMatch } from './entities-query.ts';
import { createEntityReads, type EntityReadsDependencies } from './entities-read.ts';
import { answerOne, linkRecord } from './entities-records.ts';
import { createEntityWrites, type EntityBodyReading, noQuery } from './entities-write.ts';

interface EntityRoutesDependencies extends EntityBodyReading, EntityReadsDependencies {
  readonly entities: EntityReadsDependencies['entities'] &
    Pick<EntityStore, 'linkEntities' | 'unlinkEntities'>;
  readonly actions: EntityActions;
  readonly clock: Clock;
  /** Whoever the request's API key belongs to; throws a 401. */
  authenticate(request: Request): Caller | Promise<Caller>;
}

interface Caller {
  /** Of the key. */
  readonly id: string;
  readonly orgId: string;
}

const PREFIX = '/v1/entities';

interface EntityCall {
  readonly request: Request;
  readonly caller: Caller;
  readonly orgId: string;
  readonly segments: EntityPlace['segments'];
}

type Handle = (call: EntityCall) => Promise<Response>;

/** The second public API: entities, with the same keys that events are sent with. */
export function addEntities(app: Hono<WebEnv>, dependencies: EntityRoutesDependencies): void {
  const { entities, actions, clock } = dependencies;
  const reads = createEntityReads(dependencies);
  const writes = createEntityWrites(dependencies);

  const read =
    (what: 'links' | 'graph' | 'identity' | 'events'): Handle =>
    ({ request, orgId, segments }) =>
      reads[what](orgId, readEntity(segments), request);

  const handlers: Readonly<Record<PlaceKind, Readonly<Record<string, Handle>>>> = {
    all: {
      GET: ({ request, orgId }) => reads.list(orgId, request),
      POST: ({ request, orgId }) => writes.merge(orgId, request),
    },
    one: {
      async GET({ request, orgId, segments }) {
        const entity = readEntity(segments);
        readQuery(request, noQuery);
        const found = await entities.findEntity(orgId, entity);
        if (found === null) throw new Problem('not_found');
        return answerOne(found);
      },
      PUT: ({ request, orgId, segments }) => writes.write(orgId, segments, 'replace', request),
      PATCH: ({ request, orgId, segments }) => writes.write(orgId, segments, 'patch', request),
      async DELETE({ request, caller, orgId, segments }) {
        const entity = readEntity(segments);
        const { erase_events: eraseEvents } = readQuery(request, deleteQuery);
        const ifMatch = readIfMatch(request);
        const record = (erasedEvents: number) =>
          eraseEvents ? erasureRecord(caller, targetOf(entity), erasedEvents) : null;
        await actions.remove(orgId, entity, { ifMatch, eraseEvents, record });
        return answer({ deleted: true });
      },
    },
    link: {
      async PUT({ request, orgId, segments }) {
        const link = readLink(segments);
        readQuery(request, noQuery);
        const found = await entities.linkEntities(orgId, link, clock.now());
        if (found === null) throw new Problem('not_found', { message: 'One of the two does not exist.' });
        return answer(linkRecord(found.link), found.made ? 201 : 200);
      },
      async DELETE({ request, orgId, segments }) {
        const link = readLink(segments);
        readQuery(request, noQuery);
        if (!(await entities.unlinkEntities(orgId, link))) throw new Problem('not_found');
        return answer({ deleted: true });
      },
    },
    links: { GET: read('links') },
    graph: { GET: read('graph') },
    identity: { GET: read('identity') },
    events: { GET: read('events') },
  };

  /** What was erased for good is written down, whoever asked for it. */
  function erasureRecord(caller: Caller, target: string, erasedEvents: number): AuditEntry {
    const at = clock.now();
    return {
      id: newId('aud', at),
      orgId: caller.orgId,
      at,
      actor: caller.id,
      action: 'entity.deleted',
      target,
      address: null,
      details: { erased_events: erasedEvents },
    };
  }

  async function dispatch(request: Request): Promise<Response> {
    const place = placeOf(request, PREFIX);
    if (place === null) throw new Problem('not_found');
    const methods = handlers[place.kind];
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (handle === undefined) {
      throw new Problem('method_not_allowed', { allow: Object.keys(methods).join(', ') });
    }
    const caller = await dependencies.authenticate(request);
    return handle({ request, caller, orgId: caller.orgId, segments: place.segments });
  }

  app.all(`${PREFIX}/*`, context => dispatch(context.req.raw));
}
