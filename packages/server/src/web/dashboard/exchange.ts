import type { AuditAction } from '@sluice/contract/dashboard-audit';
import type { DeepReadonly, ListPage, OneAnswer, PathParameter } from '@sluice/contract/private-call';
import type {
  AnswerOf,
  BodySchema,
  ListRoute,
  QuerySchema,
  Route,
  RowOf,
} from '@sluice/contract/private-calls';
import type { z } from 'zod';
import type { AuditEntry } from '../../core/stores/configuration/audit.ts';
import type { Client } from '../client.ts';
import type { LoginSession } from './access/sessions.ts';

/** A private call as its handler sees it: who makes it, what was sent, and what it may answer. */

/** A call that anybody may make. */
export interface OpenCall<Parameter extends string = string> {
  readonly request: Request;
  readonly client: Client;
  /** Of its path. */
  param(name: Parameter): string;
}

/** A call of somebody who is logged in and whose role allows it. */
export interface SessionCall<Parameter extends string = string> extends OpenCall<Parameter> {
  readonly session: LoginSession;
  /** What the audit log is to hold, of this organisation unless another one is named. No secrets in the details. */
  record(action: AuditAction, target: string, details?: AuditDetails, orgId?: string): AuditEntry;
}

export type AuditDetails = Readonly<Record<string, unknown>>;

/** What the contract's table says of a call. */
interface Exchange<R extends Route> {
  query(): z.output<QuerySchema<R>>;
  body(): Promise<z.output<BodySchema<R>>>;
  /** By a schema that allows less than the table's: depending on what is stored, or on a setting. */
  body<T extends z.output<BodySchema<R>>>(narrower: z.ZodType<T>): Promise<T>;
  answer(data: DataFor<AnswerOf<R>>, status?: 200 | 201): Answered<AnswerOf<R>>;
  /** What the handler wrote itself: a stream, or JSON with stored text in it. Nothing checks it. */
  respond(response: Response): Answered<AnswerOf<R>>;
}

type DataFor<Answer> = Answer extends OneAnswer<infer Data> ? DeepReadonly<Data> : never;

declare const answers: unique symbol;
/** A response that is what the table says. */
export type Answered<Answer> = Response & { readonly [answers]: Answer };

interface ListExchange<R extends ListRoute> {
  /** The page of this list that the query asks for. */
  page(list: string, query: { limit: number; cursor?: string | undefined }): RequestedPage<R>;
}

interface RequestedPage<R extends ListRoute> {
  readonly limit: number;
  /** Where the page before ended; null at the beginning. */
  readonly position: string | null;
  answer(
    rows: readonly DeepReadonly<RowOf<R>>[],
    next: string | null,
    more?: Pick<ListPage<unknown>, 'searched_to'>,
  ): Answered<AnswerOf<R>>;
}

export type OpenCallTo<R extends Route> = OpenCall<PathParameter<R>> & Exchange<R>;

export type SessionCallTo<R extends Route> = SessionCall<PathParameter<R>> &
  Exchange<R> &
  (R extends ListRoute ? ListExchange<R> : unknown);
