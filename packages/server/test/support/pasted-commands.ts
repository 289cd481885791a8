import { expect } from 'bun:test';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCommands } from '../../src/command/commands.ts';
import { newFolder } from './folder.ts';
import { readText } from './markdown-blocks.ts';

/**
 * Commands of a page, pasted into a shell as they are written. Programs that would change this machine, or need an
 * engine or a cluster, are stand-ins that take down what they were asked. Everything else is real.
 */
const STAND_INS = ['docker', 'kubectl', 'sudo', 'npm', 'npx', 'git'];

export interface Pasted {
  readonly output: string;
  /** What the stand-ins were asked, word by word. */
  readonly calls: readonly (readonly string[])[];
}

export async function pasteCommands(commands: string, folder = newFolder()): Promise<Pasted> {
  const programs = newFolder();
  const record = join(programs, 'calls');
  writeFileSync(record, '');
  for (const name of STAND_INS) {
    writeFileSync(join(programs, name), `#!/bin/sh\n{ printf '%s\\037' ${name} "$@"; echo; } >> ${record}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const shell = Bun.spawn(['bash', '-eu', '-o', 'pipefail', '-c', commands], {
    cwd: folder,
    env: { PATH: `${programs}:${process.env.PATH}`, HOME: folder },
    stderr: 'pipe',
  });
  const [output, complaints] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ]);
  expect(await shell.exited, `${commands}${output}${complaints}`).toBe(0);
  const calls = readFileSync(record, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split('\u001f').slice(0, -1));
  return { output, calls };
}

/** What npm or `sluice` were asked and do not know: scripts, commands, options and packages that are not there. */
export function unknownWords(calls: Pasted['calls']): string[] {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const ownPackage = (JSON.parse(readText('packages/sdk/package.json')) as { name: string }).name;
  const knownToNpm = new Set([
    ...['npm ci', 'npm start', 'npm test', `npm install ${ownPackage}`],
    ...Object.keys(scripts).map(name => `npm run ${name}`),
  ]);
  return calls.flatMap(call => {
    const line = call.join(' ');
    if (call[0] === 'npm') return knownToNpm.has(line.split(' -- ')[0] ?? '') ? [] : [line];
    const [, words] = /(?:^npx|exec sluice|\.bin\/)\s*sluice (.+)$/.exec(line) ?? [];
    return words === undefined ? [] : unknownToSluice(words.split(' '));
  });
}

function unknownToSluice([word = '', ...rest]: readonly string[]): string[] {
  if (word === 'help') return [];
  const command = commands().find(({ name }) => name === word);
  if (command === undefined) return [`sluice ${word}`];
  const options = new Set(['json', 'help', ...(command.options ?? []).map(({ name }) => name)]);
  return rest
    .filter(text => text.startsWith('--') && !options.has(text.slice(2).split('=')[0] ?? ''))
    .map(option => `sluice ${word} ${option}`);
}

const notHere = () => Promise.reject(new Error('Nothing is run here.'));
const commands = () =>
  createCommands({ startService: notHere, resealStorage: notHere, openApiDocument: notHere });
