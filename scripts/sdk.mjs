/**
 * `npm run build:sdk`: the package as it is published, from its source file by file, so that what is installed reads
 * like what is written here. `dist/esm` and `dist/cjs` hold the same modules, each with its types.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'packages', 'sdk');
const target = resolve(process.argv[2] ?? join(home, 'dist'));

/** The folder of each module format, with what Node and the compiler call it. */
const formats = [
  { folder: 'esm', type: 'module', module: 'esnext' },
  { folder: 'cjs', type: 'commonjs', module: 'commonjs' },
];

rmSync(target, { recursive: true, force: true });
for (const { folder, type, module } of formats) {
  const outDir = join(target, folder);
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify({ type })}\n`);
  const { status } = spawnSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['--project', join(home, 'tsconfig.build.json'), '--module', module, '--outDir', outDir],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  nameModules(outDir);
}
copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));

/** The compiler leaves the names of source files in declarations, and no source is published. */
function nameModules(folder) {
  for (const name of readdirSync(folder).filter(name => name.endsWith('.d.ts'))) {
    const file = join(folder, name);
    const types = readFileSync(file, 'utf8');
    writeFileSync(file, types.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
}
