import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { AuditEntry } from '../../core/stores/audit-entry.ts';
import type { LiveFeed } from '../../telemetry/live-feed.ts';
import { answerPage } from '../answer.ts';
import { type Client, type ClientSettings, clientOf } from '../client.ts';
import type { WebEnv } from '../env.ts';
import type { Cursors } from '../paging.ts';
import { type BodyReading, readJson, readQuery } from '../read-json.ts';
import type { Session, Sessions } from './access/sessions.ts';
import { requireSameOrigin } from './csrf.ts';
import { type Permission, requirePermission } from './permissions.ts';

/** A private call as its handler sees it, when anybody may make it. */
export interface OpenCall {
  readonly request: Request;
  readonly client: Client;
  param(name: string): string;
  body<T extends z.ZodType>(schema: T, whenEmpty?: 'take as {}'): Promise<z.output<T>>;
  query<T extends z.ZodType>(schema: T): z.output<T>;
}

/** A private call of somebody who is logged in and whose role allows it. */
export interface Call extends OpenCall {
  readonly session: Session;
  /** The page of this list that the query asks for. */
  page(list: string, query: { limit: number; cursor?: string | undefined }): Page;
  /** What the audit log is to hold, of this organisation unless another one is named. No secrets in the details. */
  record(action: string, target: string, details?: AuditDetails, orgId?: string): AuditEntry;
}

export interface Page {
  readonly limit: number;
  /** Where the page before ended; null at the beginning. */
  readonly position: string | null;
  answer(rows: readonly unknown[], next: string | null, more?: Readonly<Record<string, unknown>>): Response;
}

export type AuditDetails = Readonly<Record<string, unknown>>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Route = `${Method} /${string}`;

export interface Calls {
  /** The order of the checks is a promise: session (401), same origin (403), role (403), then the handler's. */
  on(route: Route, permission: Permission, handle: (call: Call) => Promise<Response>): void;
  /** Open to those without a session; what changes something must still come from the dashboard itself. */
  onAnyone(route: Route, handle: (call: OpenCall) => Promise<Response>): void;
}

export function createCalls(
  app: Hono<WebEnv>,
  dependencies: BodyReading & {
    readonly sessions: Sessions;
    readonly cursors: Cursors;
    readonly clock: Clock;
    readonly client: ClientSettings;
    readonly live: Pick<LiveFeed, 'note'>;
  },
): Calls {
  const { sessions, cursors, clock } = dependencies;

  function openCall(context: Context<WebEnv>): OpenCall {
    const request = context.req.raw;
    return {
      request,
      client: clientOf(request, context.env, dependencies.client),
      param(name) {
        const value = context.req.param(name) ?? '';
        // PostgreSQL fails on a text that it could never have stored; there is simply nothing by that name.
        if (value.includes('\0')) throw new Problem('not_found');
        return value;
      },
      body: (schema, whenEmpty) => readJson(request, schema, dependencies, whenEmpty),
      query: schema => readQuery(request, schema),
    };
  }

  function withSession(call: OpenCall, session: Session): Call {
    return {
      ...call,
      session,
      page(list, { limit, cursor }) {
        const scope = `${list}\n${session.orgId}`;
        return {
          limit,
          position: cursor === undefined ? null : cursors.read(scope, cursor),
          answer: (rows, next, more) =>
            answerPage(rows, next === null ? null : cursors.issue(scope, next), more),
        };
      },
      record(action, target, details = {}, orgId = session.orgId) {
        const at = clock.now();
        return { id: newId('aud', at), orgId, at, actor: session.email, action, target, details };
      },
    };
  }

  function add(route: Route, handle: (context: Context<WebEnv>) => Promise<Response>): void {
    const [method = '', path = ''] = route.split(' ');
    app.on(method, `/dashboard/api${path}`, handle);
  }

  const changes = (route: Route) => !route.startsWith('GET ');

  return {
    on(route, permission, handle) {
      add(route, async context => {
        const call = openCall(context);
        const session = await sessions.of(call.request);
        if (changes(route)) requireSameOrigin(call.request, call.client);
        requirePermission(session.role, permission);
        const answer = await handle(withSession(call, session));
        if (changes(route)) dependencies.live.note(session.orgId);
        return answer;
      });
    },
    onAnyone(route, handle) {
      add(route, async context => {
        const call = openCall(context);
        if (changes(route)) requireSameOrigin(call.request, call.client);
        return handle(call);
      });
    },
  };
}
