import type { Finding } from './finding.ts';
import { examinePostgres } from './postgres/examine.ts';
import { examineSqlite } from './sqlite/examine.ts';

/** Examines storage for `sluice doctor`: changes no data, so that it may run beside a service that is up. */
export async function examineStorage(options: {
  directory: string;
  databaseUrl: string | undefined;
  /** What the secret key in use yields, see core/key-check; null where there is no key. */
  keyCheck: string | null;
}): Promise<Finding[]> {
  return options.databaseUrl === undefined
    ? examineSqlite(options)
    : examinePostgres({ ...options, url: options.databaseUrl });
}
