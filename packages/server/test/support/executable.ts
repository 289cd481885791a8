import { join } from 'node:path';

const MAIN = join(import.meta.dir, '../../src/main.ts');

/**
 * How a test runs `sluice`: as the self-contained executable that `npm test` has built for this run, which starts with a
 * quarter of the work, or from its source where a file of tests runs alone. What is loaded into it first, by
 * `BUN_OPTIONS`, reaches into modules of the source.
 */
export function sluiceCommand(settings: Readonly<Record<string, string>> = {}): [string, ...string[]] {
  const built = process.env.SLUICE_TEST_EXECUTABLE;
  return built === undefined || settings.BUN_OPTIONS !== undefined ? [process.execPath, MAIN] : [built];
}
