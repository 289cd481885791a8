import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Bundles the threads of the service, and the node that is tortured, once for a run of `npm test` into the folder that is
 * named. Scripts lie side by side there, so that each finds the others beside itself and not where its source is.
 */
const [target = ''] = process.argv.slice(2);
const source = join(import.meta.dir, '../../src');
/** How a module names the script of a thread, or its own place. */
const SCRIPT = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g;
const OWN_FOLDER = /import\.meta\.dirname/g;

const modules = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map(name => join(source, name));
const threads = modules.flatMap(file =>
  [...readFileSync(file, 'utf8').matchAll(SCRIPT)].map(([, script = '']) => join(dirname(file), script)),
);

const { success, logs } = await Bun.build({
  entrypoints: [join(import.meta.dir, '../torture/node.ts'), ...new Set(threads)],
  outdir: target,
  target: 'bun',
  naming: { entry: '[name].[ext]' },
  plugins: [
    {
      name: 'places',
      setup(build) {
        build.onLoad({ filter: /\/packages\/server\/src\/.*\.ts$/ }, async ({ path }) => ({
          loader: 'ts',
          contents: (await Bun.file(path).text())
            .replace(
              SCRIPT,
              (_, script: string) => `new URL('./${basename(script, '.ts')}.js', import.meta.url)`,
            )
            .replace(OWN_FOLDER, JSON.stringify(dirname(path))),
        }));
      },
    },
  ],
});
if (!success) throw new AggregateError(logs, 'The service could not be bundled.');
