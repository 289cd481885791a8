import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { RunFiles } from './journal.ts';

/** A list and no map: two secrets may bear one name, and both are looked for. */
export type NamedSecret = readonly [name: string, secret: string];

/** What the secret that a destination was given is looked for as. */
export const secretOfDestination = (organisation: string, destination: string): string =>
  `secret of the destination ${destination} of ${organisation}`;

/** Looks for every secret of the run where none may stand in the clear. */
export function lookForSecrets(
  files: RunFiles,
  secrets: readonly NamedSecret[],
  places: Readonly<Record<string, Buffer | string>>,
): void {
  const lookedIn = Object.keys(places);
  const bytes = Object.entries(places).map(
    ([name, content]) => [name, typeof content === 'string' ? Buffer.from(content) : content] as const,
  );
  for (const [name, secret] of secrets) {
    const foundIn = bytes.flatMap(([place, content]) => (content.includes(secret) ? [place] : []));
    files.write('secrets', { name, foundIn, lookedIn });
  }
}

/** Every file in a data directory, by its name. */
export const filesIn = (directory: string): Record<string, Buffer> =>
  Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ name }) => [`data directory: ${name}`, readFileSync(join(directory, name))]),
  );

/** Every row of every table of a database, by the table's name. */
export async function rowsIn(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`);
    found[`database: ${name}`] = rows.map(({ row }) => row).join('\n');
  }
  await client.end();
  return found;
}
