import type { Finding } from './finding.ts';
import { examinePostgres } from './postgres/examine.ts';
import { examineSqlite } from './sqlite/examine.ts';

/** Examines storage for `sluice doctor`: changes no data, so that it may run beside a service that is up. */
export async function examineStorage(options: {
  directory: string;
  databaseUrl: string | undefined;
  replicas?: number;
  /** What the secret keys in use yield, the present one first, see core/secrets/key-check.ts; none where there is no key. */
  keyChecks: readonly string[];
}): Promise<Finding[]> {
  return options.databaseUrl === undefined
    ? examineSqlite(options)
    : examinePostgres({ ...options, url: options.databaseUrl });
}
