import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './folder.ts';

const root = join(import.meta.dir, '../../../..');

/** The runtimes that programs with the SDK are tested on, each with its command. */
export const runtimes = { node: 'node', bun: process.execPath } as const;

/** A folder in which `@sluice/sdk` is installed as npm would install it: built, with nothing of its source. */
export async function installSdk(): Promise<string> {
  const folder = newFolder();
  const installed = join(folder, 'node_modules', '@sluice', 'sdk');
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(root, 'packages', 'sdk', 'package.json'), join(installed, 'package.json'));
  const build = Bun.spawn(['node', join(root, 'scripts', 'sdk.mjs'), join(installed, 'dist')], {
    stdout: 'pipe',
  });
  const output = await new Response(build.stdout).text();
  if ((await build.exited) !== 0) throw new Error(`The SDK does not build: ${output}`);
  cpSync(join(root, 'packages', 'sdk', 'test', 'programs'), folder, { recursive: true });
  return folder;
}

/** What a browser loads of an installed package: minified, and its size as it is sent. */
export async function bundleForBrowser(folder: string): Promise<{ script: string; compressedBytes: number }> {
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, 'node_modules/@sluice/sdk/dist/esm/index.js')],
    target: 'browser',
    minify: true,
  });
  const [bundle = new Blob()] = outputs;
  const script = await bundle.text();
  return { script, compressedBytes: Bun.gzipSync(Buffer.from(script), { level: 9 }).length };
}
