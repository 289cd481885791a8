/** `npm run bench`: sees to wrk, then measures with the pinned Bun. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPackages, requirePackages } from './packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

requirePackages(
  missingPackages([
    { command: 'wrk', package: 'wrk' },
    { command: 'chromium-headless-shell', package: 'chromium-headless-shell' },
  ]),
);

await import('./dashboard.mjs');

const bench = join(root, 'packages', 'server', 'test', 'bench', 'main.ts');
const bun = join(root, 'node_modules', '.bin', 'bun');
const { status } = spawnSync(bun, [bench, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
