import { basename, join } from 'node:path';

/**
 * What tests start from the source, as `npm test` has bundled it for this run (`make-bundle.ts`): a thread that reads one
 * file in place of hundreds starts with half the work. Whoever runs a file of tests alone has the source.
 */
const folder = process.env.SLUICE_TEST_BUNDLE;

export const bundled = (script: string): string =>
  folder === undefined ? script : join(folder, `${basename(script, '.ts')}.js`);
