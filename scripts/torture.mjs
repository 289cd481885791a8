/** `npm run torture`: sees to strace, then torments the service with the pinned Bun. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPackages, requirePackages } from './packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

requirePackages(missingPackages([{ command: 'strace', package: 'strace' }]));

const torture = join(root, 'packages', 'server', 'test', 'torture', 'main.ts');
const bun = join(root, 'node_modules', '.bin', 'bun');
const { status } = spawnSync(bun, [torture, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
