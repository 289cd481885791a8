/**
 * `npm run failover [times]`: tests of the losses that take long to show, then takes the primary of a PostgreSQL cluster
 * away, again and again, and prints a table.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'packages', 'server', 'test', 'failover');
const bun = join(root, 'node_modules', '.bin', 'bun');
// Killed with this process: what it has started ends with it in turn.
const run = args =>
  spawnSync('setpriv', ['--pdeathsig', 'SIGKILL', bun, ...args], { stdio: 'inherit' }).status ?? 1;
const tested = run(['test', '--timeout', '600000', join(folder, 'losses.ts')]);
const taken = run([join(folder, 'main.ts'), ...process.argv.slice(2)]);
process.exit(tested || taken);
