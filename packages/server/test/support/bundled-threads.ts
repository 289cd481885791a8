import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundle.ts';

/**
 * Loaded before the tests by `npm test`: a service that a test starts in its own process has its threads from the bundle
 * of this run.
 */
const source = join(import.meta.dir, '../../src/');

globalThis.Worker = class extends globalThis.Worker {
  constructor(script: string | URL, options?: WorkerOptions) {
    const file = String(script).startsWith('file:') ? fileURLToPath(script) : String(script);
    super(file.startsWith(source) ? bundled(file) : script, options);
  }
};
