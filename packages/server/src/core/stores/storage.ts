/** Names from before the stores: taken out with the last of their users. */
import type { AccountStore } from './accounts.ts';
import type { ApiKeyStore } from './configuration/api-keys.ts';
import type { Audited, AuditLog as AuditRecords } from './configuration/audit.ts';
import type { SourceStore } from './configuration/sources.ts';
import type { ConfigurationStore } from './configuration.ts';
import type { CounterStore } from './counters.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import type { EntityStore } from './entities.ts';
import type { EventQueue } from './event-queue.ts';
import type { JobStore } from './jobs.ts';
import type { Journal as JournalStore } from './journal.ts';
import type { UpkeepStore } from './upkeep.ts';

export * from './accounts.ts';
export * from './configuration/api-keys.ts';
export * from './configuration/sources.ts';
export type { StorageEngine, StorageSize } from './engine.ts';
export * from './journal.ts';

type Changes = ReturnType<AccountStore['audited']> &
  ReturnType<ConfigurationStore['audited']> &
  ReturnType<DeliveryQueue['audited']> &
  ReturnType<EntityStore['audited']> &
  ReturnType<JobStore['audited']>;
export type Storage = Omit<AccountStore, 'audited'> &
  Omit<ConfigurationStore, 'audited'> &
  JournalStore &
  EventQueue &
  Omit<DeliveryQueue, 'audited'> &
  Omit<EntityStore, 'audited'> &
  Omit<JobStore, 'audited'> &
  CounterStore &
  UpkeepStore &
  Audited<Changes>;
export type AuditLog = AuditRecords & Audited<Changes>;
export type Organisations = Omit<AccountStore, 'audited'>;
export type Accounts = Omit<AccountStore, 'audited'>;
export type ApiKeys = ApiKeyStore;
export type Sources = SourceStore;
export type Upkeep = UpkeepStore;
