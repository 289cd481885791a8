/**
 * Builds the dashboard where it is not built yet, or where its source has changed since. The new one takes the old
 * one's place in a single step, so that a server which is running never serves half of each.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'packages', 'dashboard');
const built = join(home, 'dist');
const stamp = 'built-from';

/** Everything that the result depends on. */
const sources = [
  ...filesUnder(join(home, 'src')),
  ...filesUnder(join(home, 'public')),
  ...filesUnder(join(root, 'packages', 'contract', 'src')),
  ...['index.html', 'package.json', 'vite.config.ts'].map(name => join(home, name)),
  join(root, 'package-lock.json'),
  fileURLToPath(import.meta.url),
].filter(file => !file.includes('.test.'));

const wanted = fingerprint(sources);
const standing = existsSync(join(built, stamp)) ? readFileSync(join(built, stamp), 'utf8') : null;
if (standing !== wanted) await build();

async function build() {
  console.log('Building the dashboard …');
  const { build: bundle } = await import('vite');
  const fresh = mkdtempSync(join(home, 'dist-'));
  try {
    await bundle({ root: home, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
    compress(fresh);
    writeFileSync(join(fresh, stamp), wanted);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Once here, with all the effort it takes, and not for each browser: `x.js.br` and `x.js.gz` beside `x.js`. */
function compress(folder) {
  for (const file of filesUnder(folder).filter(name => /\.(js|css|svg)$/.test(name))) {
    const bytes = readFileSync(file);
    for (const [ending, compressed] of [
      ['br', brotliCompressSync(bytes)],
      ['gz', gzipSync(bytes, { level: 9 })],
    ]) {
      if (compressed.length < bytes.length) writeFileSync(`${file}.${ending}`, compressed);
    }
  }
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}
