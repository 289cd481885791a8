#!/usr/bin/env node
/** `sluice …` from any shell: runs the pinned Bun on the real command, with this terminal and its signals. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bun = join(dirname(createRequire(import.meta.url).resolve('bun/package.json')), 'bin', 'bun.exe');
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const child = spawn(bun, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', error => {
  console.error(`Bun did not start (${error.message}). Has "npm ci" run, with its install scripts?`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
