import type { ConfigurationChange, ConfigurationKind } from '../core/stores/change.ts';
import type { Db } from './schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: the constraint of a generic function type, never a value's type
type Method = (...args: any[]) => Promise<unknown>;

/** A store's method as its query implements it: the same arguments behind the database. */
export type Operation<M extends Method> = (db: Db, ...args: Parameters<M>) => ReturnType<M>;

type Access = 'read' | 'snapshot' | 'write';

/**
 * An operation with what an engine has to know of it.
 *
 * | access     | runs                                                                                    |
 * |------------|-----------------------------------------------------------------------------------------|
 * | `read`     | statement by statement, wherever the engine reads                                       |
 * | `snapshot` | likewise, all of its statements on one state of the database: they must agree           |
 * | `write`    | in one transaction, which is on disk before it is answered                              |
 *
 * A search goes on for as long as its budget allows, and must hold no snapshot meanwhile: that would keep a connection
 * from everybody else, and SQLite's journal from being folded back.
 *
 * `changeOf` says what of the configuration it changes, so that whoever keeps a copy is notified of it.
 */
export interface StoreOperation<M extends Method = Method> {
  readonly access: Access | ((...args: Parameters<M>) => Access);
  readonly run: Operation<M>;
  readonly changeOf?: (...args: Parameters<M>) => ConfigurationChange | null;
}

/** All methods of a store but those that each engine writes for itself. */
export type StoreOperations<Store, Own extends keyof Store = never> = {
  readonly [Name in Exclude<keyof Store, Own | 'audited'>]: Store[Name] extends Method
    ? StoreOperation<Store[Name]>
    : never;
};

export const read = <M extends Method>(run: Operation<M>): StoreOperation<M> => ({ access: 'read', run });

export const snapshot = <M extends Method>(run: Operation<M>): StoreOperation<M> => ({
  access: 'snapshot',
  run,
});

/** A snapshot, but for what has to be searched for. */
export const snapshotUnless = <M extends Method>(
  isSearch: (...args: Parameters<M>) => boolean,
  run: Operation<M>,
): StoreOperation<M> => ({ access: (...args) => (isSearch(...args) ? 'read' : 'snapshot'), run });

export const write = <M extends Method>(
  run: Operation<M>,
  changeOf?: StoreOperation<M>['changeOf'],
): StoreOperation<M> => ({ access: 'write', run, ...(changeOf ? { changeOf } : {}) });

/** The change of a record that is made, which says itself whose it is. */
export const made =
  (what: ConfigurationKind) =>
  ({ orgId, id }: { readonly orgId: string; readonly id: string }): ConfigurationChange => ({
    organisationId: orgId,
    what,
    id,
  });

/** The change of a record that is named by its organisation and its id. */
export const named =
  (what: ConfigurationKind) =>
  (organisationId: string, id: string): ConfigurationChange => ({ organisationId, what, id });
