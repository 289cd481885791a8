import type { AuditAction } from '@sluice/contract/dashboard-audit';
import { CALLS_AT } from '@sluice/contract/organisation-address';
import type { PrivateCall } from '@sluice/contract/private-call';
import { type AnswerOf, privateCalls, type Route } from '@sluice/contract/private-calls';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { type Clock, seconds } from '../../core/clock.ts';
import { invalid, Problem } from '../../core/errors.ts';
import { READ_IN_PLACE_BYTES } from '../../core/http/read-body.ts';
import { newId } from '../../core/ids.ts';
import type { LiveFeed } from '../../telemetry/live-feed.ts';
import { answer, answerPage } from '../answer.ts';
import { type Client, type ClientSettings, clientOf } from '../client.ts';
import type { WebEnv } from '../env.ts';
import type { Cursors } from '../paging.ts';
import { type BodyReading, readJson, readQuery } from '../read-json.ts';
import type { LoginSession, LoginSessions } from './access/sessions.ts';
import { organisationIn } from './call-address.ts';
import { requireSameOrigin } from './csrf.ts';
import type { Answered, AuditDetails, OpenCall, OpenCallTo, SessionCallTo } from './exchange.ts';
import { type Permission, requirePermission } from './permissions.ts';

/** Registers the handlers of private calls, by their names in the contract's table. */
export interface Calls {
  /**
   * The order of the checks is a promise: session (401), same origin (403), role (403), then the handler's. Session and
   * role are checked once more when the body is there.
   */
  on<R extends Route>(
    route: R,
    permission: Permission,
    handle: (call: SessionCallTo<R>) => Promise<Answered<AnswerOf<R>>>,
  ): void;
  /** Open to those without a session; what changes something must still come from the dashboard itself. */
  onAnyone<R extends Route>(route: R, handle: (call: OpenCallTo<R>) => Promise<Answered<AnswerOf<R>>>): void;
}

/** Of a login, a set-up, an invitation: anybody may send one, and reading a large body takes long. */
const OPEN_CALL_BYTES = 64 * 1024;
/** A page sends its body at once, however slow the line: what takes longer is held back on purpose. */
const BODY_TIMEOUT_MS = seconds(60);
/** With as many steps and templates as there may be. */
const DEFINITION_BYTES = 1024 * 1024;

/** What a page that follows answers is told about all others. */
export const NOT_FOLLOWED = 'Only calls that answer with JSON can be followed.';

/** How large an event may be at the ingest endpoints, and so in a dry run. */
export interface EventSize {
  readonly eventBytes: number;
}

/** What somebody who is logged in may send: as much as the call needs, and no more. */
function bytesOf(route: Route, { eventBytes }: EventSize): number {
  switch (route) {
    case 'POST /pipelines':
    case 'PATCH /pipelines/:id':
    case 'POST /destinations':
    case 'PATCH /destinations/:id':
    case 'POST /configuration/difference':
    case 'POST /configuration/apply':
      return DEFINITION_BYTES;
    case 'POST /pipelines/dry-run':
    case 'POST /destinations/preview':
      return DEFINITION_BYTES + eventBytes;
    case 'POST /destinations/:id/test':
      return Math.max(READ_IN_PLACE_BYTES, eventBytes);
    default:
      return READ_IN_PLACE_BYTES;
  }
}

export function createCalls(
  app: Hono<WebEnv>,
  dependencies: BodyReading & {
    readonly sessions: LoginSessions;
    readonly cursors: Cursors;
    readonly clock: Clock;
    readonly client: ClientSettings;
    readonly live: Pick<LiveFeed, 'note'>;
    readonly limits: EventSize;
  },
): Calls {
  const { sessions, cursors, clock, limits } = dependencies;
  const readingUpTo = (bytes: number): BodyReading => ({
    ...dependencies,
    limits: { ...limits, bodyBytes: Math.min(limits.bodyBytes, bytes) },
  });

  const openCall = (context: Context<WebEnv>): OpenCall => ({
    request: context.req.raw,
    client: clientOf(context.req.raw, context.env, dependencies.client),
    param: name => context.req.param(name) ?? '',
  });

  function exchange(request: Request, route: Route, reading: BodyReading) {
    const { query, body, bodyMayBeEmpty }: PrivateCall = privateCalls[route];
    return {
      query: () => readQuery(request, query ?? z.never()),
      body: (narrower?: z.ZodType) =>
        readJson(request, narrower ?? body ?? z.never(), {
          ...reading,
          timeoutMs: BODY_TIMEOUT_MS,
          ...(bodyMayBeEmpty ? { whenEmpty: 'take as {}' } : {}),
        }),
      answer,
      respond: (response: Response) => response,
    };
  }

  const sessionParts = (session: LoginSession, { address }: Client) => ({
    page(list: string, { limit, cursor }: { limit: number; cursor?: string }) {
      const scope = `${list}\n${session.orgId}`;
      return {
        limit,
        position: cursor === undefined ? null : cursors.read(scope, cursor),
        answer: (rows: readonly unknown[], next: string | null, more?: Readonly<Record<string, unknown>>) =>
          answerPage(rows, next === null ? null : cursors.issue(scope, next), more),
      };
    },
    record(action: AuditAction, target: string, details: AuditDetails = {}, orgId = session.orgId) {
      const at = clock.now();
      return { id: newId('aud', at), orgId, at, actor: session.email, action, target, address, details };
    },
  });

  function add(route: Route, handle: (context: Context<WebEnv>) => Promise<Response>): void {
    const [method = '', path = ''] = route.split(' ');
    const { answer: answered }: PrivateCall = privateCalls[route];
    app.on(
      method,
      [`${CALLS_AT}${path}`, `${CALLS_AT}/o/:organisation{[a-z0-9-]+}${path}`],
      async context => {
        // The router reads escapes, and takes longer names: else such an address would be that of one's own.
        if ((context.req.param('organisation') ?? null) !== organisationIn(context.req.raw))
          throw new Problem('not_found');
        // Before it is called: a file that nobody reads would be put together, and be on record as fetched.
        if (context.env.isFollowed && answered.kind === 'stream') throw invalid('', NOT_FOLLOWED);
        return handle(context);
      },
    );
  }

  async function sameSession({ request, client }: OpenCall, before: LoginSession): Promise<LoginSession> {
    const session = await sessions.of(request, client);
    if (session.orgId === before.orgId) return session;
    throw new Problem('conflict', { message: 'You have switched to another organisation in the meantime.' });
  }

  const changes = (route: Route) => !route.startsWith('GET ');

  return {
    on(route, permission, handle) {
      const reading = readingUpTo(bytesOf(route, limits));
      add(route, async context => {
        const call = openCall(context);
        let session = await sessions.of(call.request, call.client);
        if (changes(route)) requireSameOrigin(call.request, call.client);
        requirePermission(session.role, permission);
        const parts = exchange(call.request, route, reading);
        const whole = {
          ...call,
          ...parts,
          ...sessionParts(session, call.client),
          get session() {
            return session;
          },
          // Whoever sends the last byte late may have been removed since the first one, or have another role.
          async body(narrower?: z.ZodType) {
            const read = await parts.body(narrower);
            session = await sameSession(call, session);
            requirePermission(session.role, permission);
            return read;
          },
        };
        // Which types belong to a route is for the handler to know: here it may be any of them.
        const response = await handle(whole as unknown as SessionCallTo<typeof route>);
        if (changes(route)) dependencies.live.note(session.orgId);
        return response;
      });
    },
    onAnyone(route, handle) {
      const reading = readingUpTo(OPEN_CALL_BYTES);
      add(route, async context => {
        const call = openCall(context);
        if (changes(route)) requireSameOrigin(call.request, call.client);
        const whole = { ...call, ...exchange(call.request, route, reading) };
        return handle(whole as unknown as OpenCallTo<typeof route>);
      });
    },
  };
}
