import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFiles } from './journal.ts';

/** Looks for every secret of the run where none may stand in the clear. */
export function lookForSecrets(
  files: RunFiles,
  secrets: ReadonlyMap<string, string>,
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
