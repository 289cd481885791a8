import type { AccountStore } from '../core/stores/accounts.ts';
import type { ConfigurationChange } from '../core/stores/change.ts';
import type { AuditEntry } from '../core/stores/configuration/audit.ts';
import type { DeliveryQueue } from '../core/stores/delivery-queue.ts';
import type { Stores } from '../core/stores/engine.ts';
import type { EntityStore } from '../core/stores/entities.ts';
import type { EventQueue } from '../core/stores/event-queue.ts';
import type { Journal } from '../core/stores/journal.ts';
import type { StoreOperation } from './operation.ts';
import { accountOperations } from './queries/accounts/operations.ts';
import { alertOperations } from './queries/alerts/operations.ts';
import { recordAudit } from './queries/configuration/audit.ts';
import { configurationOperations } from './queries/configuration/operations.ts';
import { counterOperations } from './queries/counters/operations.ts';
import { deliveryOperations } from './queries/deliveries/operations.ts';
import { entityOperations } from './queries/entities/operations.ts';
import { eventOperations } from './queries/events/operations.ts';
import { jobOperations } from './queries/jobs/operations.ts';
import { journalOperations } from './queries/journal/operations.ts';
import { upkeepOperations } from './queries/upkeep/operations.ts';
import type { Db } from './schema.ts';

/**
 * Every operation that both engines share, by store and by name. An engine runs one by its name: SQLite sends name
 * and arguments to a thread, PostgreSQL opens a transaction. Names are unique over all stores, and `toStores` makes
 * the stores of them.
 */
const byStore = {
  accounts: accountOperations,
  configuration: configurationOperations,
  journal: journalOperations,
  eventQueue: eventOperations,
  deliveryQueue: deliveryOperations,
  entities: entityOperations,
  jobs: jobOperations,
  counters: counterOperations,
  upkeep: upkeepOperations,
  alerts: alertOperations,
} as const satisfies Record<keyof Stores, object>;

/** What each engine writes for itself, because speed there hangs on what only that engine can do. */
export type EngineOwned = Pick<Journal, 'append'> &
  Pick<EventQueue, 'claimEvents' | 'settleEvents'> &
  Pick<EntityStore, 'writeEntities'> &
  Pick<DeliveryQueue, 'claimDeliveries' | 'recordAttempts'>;

type NameIn<Store extends keyof Stores> = keyof (typeof byStore)[Store] & string;
export type OperationName = { [Store in keyof Stores]: NameIn<Store> }[keyof Stores] | 'changeAudited';

const changeAuditedOperation: StoreOperation = {
  access: 'write',
  run: changeAudited,
  changeOf: (_entries: readonly AuditEntry[], name: OperationName, args: readonly unknown[]) =>
    changeOf(name, args),
};

const listed: readonly [string, StoreOperation][] = [
  ...Object.values(byStore).flatMap(store => Object.entries<StoreOperation>(store)),
  ['changeAudited', changeAuditedOperation],
];
const operations = new Map(listed);
// Threads are asked by name alone: of two operations of one name, one would answer in the other's place.
if (operations.size < listed.length) throw new Error('Two stores have an operation of the same name.');

function operationOf(name: OperationName): StoreOperation {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`Storage has no operation ${name}.`);
  return operation;
}

export function accessOf(name: OperationName, args: readonly unknown[] = []): 'read' | 'snapshot' | 'write' {
  const { access } = operationOf(name);
  return typeof access === 'function' ? access(...args) : access;
}

export const perform = (db: Db, name: OperationName, args: readonly unknown[]): Promise<unknown> =>
  operationOf(name).run(db, ...args);

/** What of the configuration a call changes; null where it changes nothing of it. */
export const changeOf = (name: OperationName, args: readonly unknown[]): ConfigurationChange | null =>
  operationOf(name).changeOf?.(...args) ?? null;

/** Whether a change, by what it answered, was refused or found nothing to change. */
export const isRefusal = (result: unknown): boolean =>
  typeof result === 'string'
    ? !hasChanged[result as keyof typeof hasChanged]
    : result === false || result === null || isUnmade(result);

/** What was asked for was there already. */
const isUnmade = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'made' in result && result.made === false;

/** What the audited changes of all stores answer. */
type ChangeResult = {
  [Name in keyof Stores]: Stores[Name] extends { audited(...entries: AuditEntry[]): infer Changes }
    ? {
        [M in keyof Changes]: Changes[M] extends (...args: never[]) => Promise<infer R> ? R : never;
      }[keyof Changes]
    : never;
}[keyof Stores];

/** What a change answers in words, and whether it has changed something. */
const hasChanged: Readonly<Record<Extract<ChangeResult, string>, boolean>> = {
  changed: true,
  created: true,
  deleted: true,
  removed: true,
  saved: true,
  already_member: false,
  already_off: false,
  already_on: false,
  changed_meanwhile: false,
  last_one: false,
  last_owner: false,
  may_not_grant: false,
  not_found: false,
  other_account: false,
  password_changed: false,
  too_many: false,
  version_conflict: false,
};

/** A change and the records of it, in the one transaction that every operation runs in. */
async function changeAudited(
  db: Db,
  entries: readonly AuditEntry[],
  name: OperationName,
  args: readonly unknown[],
): Promise<unknown> {
  const result = await perform(db, name, args);
  if (!isRefusal(result)) for (const entry of entries) await recordAudit(db, entry);
  return result;
}

type RunOperation = (name: OperationName, args: readonly unknown[]) => Promise<unknown>;

/** The methods that the queries of a store list, and its changes with their audit entries. */
function methodsOfStore(store: keyof Stores, run: RunOperation) {
  const methodsOf = (names: readonly string[], call: (name: OperationName) => unknown) =>
    Object.fromEntries(names.map(name => [name, call(name as OperationName)]));
  const names = Object.keys(byStore[store]);
  const writes = names.filter(name => operationOf(name as OperationName).access === 'write');
  return {
    ...methodsOf(
      names,
      name =>
        (...args: unknown[]) =>
          run(name, args),
    ),
    audited: (...entries: readonly AuditEntry[]) =>
      methodsOf(
        writes,
        name =>
          (...args: unknown[]) =>
            run('changeAudited', [entries, name, args]),
      ),
  };
}

/** The accounts alone, for whoever needs no engine. */
export const toAccountStore = (run: RunOperation): AccountStore =>
  methodsOfStore('accounts', run) as unknown as AccountStore;

/** Builds the stores from one way to run an operation by its name, and from what the engine does for itself. */
export function toStores(run: RunOperation, own: EngineOwned): Stores {
  const storeOf = (store: keyof Stores) => methodsOfStore(store, run);
  const { append, claimEvents, settleEvents, writeEntities, claimDeliveries, recordAttempts } = own;
  return {
    accounts: storeOf('accounts'),
    configuration: storeOf('configuration'),
    journal: { ...storeOf('journal'), append },
    eventQueue: { ...storeOf('eventQueue'), claimEvents, settleEvents },
    deliveryQueue: { ...storeOf('deliveryQueue'), claimDeliveries, recordAttempts },
    entities: { ...storeOf('entities'), writeEntities },
    jobs: storeOf('jobs'),
    counters: storeOf('counters'),
    upkeep: storeOf('upkeep'),
    alerts: storeOf('alerts'),
  } as unknown as Stores;
}
