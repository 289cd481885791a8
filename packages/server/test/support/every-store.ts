import type { AuditEntry } from '../../src/core/stores/configuration/audit.ts';
import type { Stores } from '../../src/core/stores/engine.ts';

type Changes = {
  [Name in keyof Stores]: Stores[Name] extends { audited(...entries: AuditEntry[]): infer C } ? C : unknown;
};
type Methods = { [Name in keyof Stores]: Omit<Stores[Name], 'audited'> };
type All<T> = { [Name in keyof T]: (value: T[Name]) => void }[keyof T] extends (value: infer U) => void
  ? U
  : never;

/** Every operation of all stores: for tests, which set up and look at anything. */
export type EveryStore = All<Methods> & {
  audited(...entries: readonly AuditEntry[]): All<Changes>;
};

export function everyStore({
  accounts,
  configuration,
  journal,
  eventQueue,
  deliveryQueue,
  entities,
  jobs,
  counters,
  upkeep,
  alerts,
}: Stores): EveryStore {
  const audited = [accounts, configuration, deliveryQueue, entities, jobs];
  return {
    ...accounts,
    ...configuration,
    ...journal,
    ...eventQueue,
    ...deliveryQueue,
    ...entities,
    ...jobs,
    ...counters,
    ...upkeep,
    ...alerts,
    audited: (...entries) => Object.assign({}, ...audited.map(store => store.audited(...entries))),
  };
}
