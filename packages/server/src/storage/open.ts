import type { EngineCapabilities, StorageEngine } from '../core/stores/engine.ts';
import { postgresCapabilities } from './postgres/capabilities.ts';
import { openPostgres } from './postgres/engine.ts';
import { sqliteCapabilities } from './sqlite/capabilities.ts';
import { openSqlite } from './sqlite/engine.ts';

/** Opens the engine that the settings name: PostgreSQL by its URL, or else embedded SQLite. */
export function openStorage(options: {
  directory: string;
  /** Absent: the embedded database in the data directory. */
  databaseUrl: string | undefined;
  /** How many standbys must have what is committed before that is answered. */
  replicas?: number;
  onFatal(reason: string): void;
}): Promise<StorageEngine> {
  return options.databaseUrl === undefined
    ? openSqlite(options)
    : openPostgres({ ...options, url: options.databaseUrl });
}

/** What the engine that the settings name can do, without opening it. */
export const capabilitiesOf = (databaseUrl: string | undefined): EngineCapabilities =>
  databaseUrl === undefined ? sqliteCapabilities : postgresCapabilities;
