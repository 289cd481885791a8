import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder of a test's own, which goes when the tests have ended. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  made.push(folder);
  return folder;
}
