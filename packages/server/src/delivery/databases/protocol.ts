import type { Json } from '../../core/json/json.ts';
import type { Table } from './catalogue.ts';
import type { LocatedDatabase, Used } from './pools.ts';

/** What the thread that talks to databases is asked for, and what it answers. */
export interface Work {
  readonly read_table: { readonly ask: { readonly table: string }; readonly answer: Table };
  readonly insert: { readonly ask: Insertion; readonly answer: string };
}

export type WorkName = keyof Work;

/** One row: a value for each column, in their order, as the JSON text of a list. */
export interface Insertion {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly source: Json }[];
  readonly values: string;
  /** It is rolled back. */
  readonly isTest: boolean;
}

export type DatabaseCall =
  /** The thread counts on in this memory for as long as it gets on. */
  | { readonly kind: 'open'; readonly heartbeat: SharedArrayBuffer }
  | {
      readonly kind: 'work';
      readonly call: number;
      readonly name: WorkName;
      readonly ask: Work[WorkName]['ask'];
      readonly database: LocatedDatabase;
      readonly timeoutMs: number;
    }
  /** In answer to `ready`: whether to go on. */
  | { readonly kind: 'go'; readonly call: number; readonly isWanted: boolean }
  | { readonly kind: 'let_go'; readonly key: string };

export type DatabaseReply =
  /** Something was waited for, and is about to be sent. */
  | { readonly kind: 'ready'; readonly call: number }
  | { readonly kind: 'done'; readonly call: number; readonly result: Used<unknown> };
