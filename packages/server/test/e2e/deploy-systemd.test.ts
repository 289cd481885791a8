import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/settings.ts';
import { newFolder } from '../support/folder.ts';
import { startProcess, tampering } from '../support/process.ts';

const workspace = join(import.meta.dir, '../../../..');
const unit = readFileSync(join(workspace, 'deploy/systemd/sluice.service'), 'utf8');
const valuesOf = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** The unit as it would be for this checkout. */
function unitHere(): string {
  const file = join(newFolder(), 'sluice.service');
  writeFileSync(file, unit.replaceAll('/srv/sluice', workspace));
  return file;
}

test('systemd finds nothing wrong with the unit', () => {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unitHere()], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});

test('systemd rates what the unit leaves open as little', () => {
  // In tenths; a service with no such lines has 96.
  const args = ['security', '--no-pager', '--offline=true', '--threshold=20', unitHere()];
  const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
});

test('the unit starts what is in a checkout, with settings that Sluice knows', () => {
  const paths = valuesOf('ExecStart')
    .flatMap(line => line.split(' '))
    .filter(word => word.startsWith('/srv/sluice/'));
  expect(paths.filter(path => !existsSync(join(workspace, path.slice('/srv/sluice'.length))))).toEqual([]);
  const environment = valuesOf('Environment')
    .flatMap(line => line.split(' '))
    .map(pair => pair.split('='));
  expect(() => readSettings(Object.fromEntries(environment))).not.toThrow();
});

test('the service works with the system calls that the unit leaves it', async () => {
  const groups = systemCallGroups();
  const allowed = new Set(groups('@default'));
  for (const filter of valuesOf('SystemCallFilter')) {
    for (const name of filter.replace('~', '').split(' ').flatMap(groups)) {
      if (filter.startsWith('~')) allowed.delete(name);
      else allowed.add(name);
    }
  }
  const refused = groups('@known').filter(name => !allowed.has(name));
  expect(refused.length).toBeGreaterThan(100);
  expect(allowed.size).toBeGreaterThan(150);
  // What is refused answers as the unit has it; a name that this machine's processor does not have is passed over.
  const error = valuesOf('SystemCallErrorNumber')[0];
  const under = tampering(`${refused.map(name => `?${name}`).join(',')}:error=${error}`);
  const directory = newFolder();
  const server = await startProcess({ directory, under });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
  server.kill('SIGTERM');
  expect(await server.ended, server.output()).toBe(0);
});

/** The names in a group such as `@system-service`, groups inside it included; any other name stands for itself. */
function systemCallGroups(): (name: string) => string[] {
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager'], { encoding: 'utf8' });
  const members = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of stdout.split('\n')) {
    if (line.startsWith('@')) {
      current = [];
      members.set(line.trim(), current);
    } else if (/^ {4}[@\w]/.test(line)) {
      current.push(line.trim());
    }
  }
  const expand = (name: string): string[] =>
    name.startsWith('@') ? (members.get(name) ?? []).flatMap(expand) : [name];
  return expand;
}
