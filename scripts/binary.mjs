/**
 * `npm run build:binary [-- <file>]`: one self-contained executable, `dist/sluice`, with the dashboard, the guide and the
 * scripts of all threads inside. Scripts are found by how they are started, so that none can be forgotten.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'packages', 'server', 'src');
/** By the names that `runtime/embedded.ts` looks for. */
const folders = { dashboard: join(root, 'packages', 'dashboard', 'dist'), docs: join(root, 'docs') };
const target = resolve(process.argv[2] ?? join(root, 'dist', 'sluice'));

run(process.execPath, [join(root, 'scripts', 'dashboard.mjs')]);
const workplace = mkdtempSync(join(tmpdir(), 'sluice-binary-'));
try {
  const packed = join(workplace, 'pages.bin');
  writeFileSync(packed, packPages());
  mkdirSync(dirname(target), { recursive: true });
  run(join(root, 'node_modules', '.bin', 'bun'), [
    'build',
    '--compile',
    // Without it each start parses and compiles all of the code again, which is most of a start.
    ...['--bytecode', '--format=esm'],
    // Side by side under their own names: `core/threads/script.ts` and `runtime/embedded.ts` look for them there.
    ...['--entry-naming', '[name].[ext]', '--asset-naming', '[name].[ext]'],
    join(source, 'main.ts'),
    ...threadScripts(),
    packed,
    ...['--outfile', target],
  ]);
} finally {
  rmSync(workplace, { recursive: true, force: true });
}
console.log(`${relative(process.cwd(), target) || target} is a whole Sluice: try it with "help" or "serve".`);

/** The files of these folders by their names, in base64; of the guide's pictures those that some page shows. */
function packPages() {
  const found = Object.entries(folders).flatMap(([folder, home]) =>
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(home, join(entry.parentPath, entry.name)))
      .map(name => [`${folder}/${name}`, readFileSync(join(home, name))]),
  );
  const guide = found.filter(([name]) => name.endsWith('.md')).map(([, bytes]) => bytes.toString());
  const isWanted = name =>
    !name.startsWith('docs/pictures/') || guide.some(text => text.includes(name.slice(5)));
  const files = found.filter(([name]) => isWanted(name));
  return JSON.stringify(Object.fromEntries(files.map(([name, bytes]) => [name, bytes.toString('base64')])));
}

/** Whatever a module names as `new URL('./x.ts', import.meta.url)`. */
function threadScripts() {
  const modules = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => join(source, name));
  const scripts = modules.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)].map(
      ([, script]) => join(dirname(file), script),
    ),
  );
  return [...new Set(scripts)];
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
