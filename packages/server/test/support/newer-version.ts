import { migrations, onlyAdding } from '../../src/storage/migrations/index.ts';

/** Loaded into a server before all else, this makes it one of a later version: it knows some migrations more. */
interface LaterMigration {
  readonly statements: readonly string[];
  readonly onlyAdds: boolean;
}

const later: readonly LaterMigration[] = JSON.parse(process.env.LATER_MIGRATIONS ?? '[]');
for (const { statements, onlyAdds } of later) {
  (migrations as (readonly string[])[]).push(statements);
  if (onlyAdds) (onlyAdding as Set<readonly string[]>).add(statements);
}

/** The settings of a server of such a version. */
export const knowing = (...more: readonly LaterMigration[]): Record<string, string> => ({
  BUN_OPTIONS: `--preload=${import.meta.path}`,
  LATER_MIGRATIONS: JSON.stringify(more),
});
