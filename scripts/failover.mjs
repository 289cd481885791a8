/** `npm run failover [times]`: takes the primary of a PostgreSQL cluster away, again and again, and prints a table. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'packages', 'server', 'test', 'failover', 'main.ts');
const bun = join(root, 'node_modules', '.bin', 'bun');
// Killed with this process: what it has started ends with it in turn.
const command = ['--pdeathsig', 'SIGKILL', bun, main, ...process.argv.slice(2)];
const { status } = spawnSync('setpriv', command, { stdio: 'inherit' });
process.exit(status ?? 1);
