import type { z } from 'zod';

/** A private call as the table of `private-calls.ts` holds it: what is sent with it, and what it answers. */
export interface PrivateCall {
  /** Without one, nothing of the query is read. */
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** An empty body counts as `{}`. */
  readonly bodyMayBeEmpty?: true;
  readonly answer: OneAnswer<unknown> | ListAnswer<unknown> | StreamAnswer;
}

/** `{"data": …}`. The types of answers exist for the compiler only: nobody checks them when the service runs. */
export interface OneAnswer<Data> {
  readonly kind: 'one';
  readonly data?: Data;
}

/** `{"data": […], "next_cursor": …}`: one page of a list. */
export interface ListAnswer<Row> {
  readonly kind: 'list';
  readonly row?: Row;
}

/** No JSON: events as they happen, or a file. */
interface StreamAnswer {
  readonly kind: 'stream';
}

export const one = <Data>(): OneAnswer<Data> => ({ kind: 'one' });
export const list = <Row>(): ListAnswer<Row> => ({ kind: 'list' });
export const stream: StreamAnswer = { kind: 'stream' };

/** A page of a list as it is answered. */
export interface ListPage<Row> {
  readonly data: Row[];
  readonly next_cursor: string | null;
  /** Of a search by text: how far back it came. */
  readonly searched_to?: string | null;
}

/** Both sides only read what the other made, so neither has to copy its lists to hand them over. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** The names in a path: those of `/entities/:kind/:external_id` are `kind` and `external_id`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
