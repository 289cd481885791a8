/** `npm run pictures`: sees to Chromium and a font with icons, builds the dashboard, and draws every page. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPackages, requirePackages } from './packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const icons = '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf';

requirePackages([
  ...missingPackages([{ command: 'chromium-headless-shell', package: 'chromium-headless-shell' }]),
  ...(existsSync(icons) ? [] : ['fonts-noto-color-emoji']),
]);
await import('./dashboard.mjs');

const bun = join(root, 'node_modules', '.bin', 'bun');
const main = join(root, 'packages', 'server', 'test', 'pictures', 'main.ts');
const { status } = spawnSync(bun, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
