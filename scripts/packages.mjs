/** The Debian packages that a script of ours cannot do without. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Of these commands, the packages of those that the machine does not have. */
export function missingPackages(neededCommands) {
  // Servers stand in a folder that is not on everybody's path.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return neededCommands
    .filter(({ command }) => !folders.some(folder => isExecutable(join(folder, command))))
    .map(needed => needed.package);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian starts these servers when they are installed; we want their programs and no more. */
const servers = ['caddy', 'nginx', 'prometheus'];

/** As root they are installed; anybody else is told in one line what to do, and nothing is skipped. */
export function requirePackages(names) {
  if (names.length === 0) return;
  if (process.getuid?.() === 0) {
    console.log(`Installing ${names.join(', ')}`);
    const apt = (...args) =>
      spawnSync('apt-get', args, {
        encoding: 'utf8',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    const update = apt('update', '-qq');
    const install = apt('install', '-y', '-qq', '--no-install-recommends', ...names);
    const installedServers = names.filter(name => servers.includes(name));
    if (installedServers.length > 0) {
      spawnSync('systemctl', ['disable', '--now', '--quiet', ...installedServers], { stdio: 'ignore' });
    }
    if (install.status === 0) return;
    process.stderr.write(`${update.stderr ?? ''}${install.stderr ?? install.error?.message ?? ''}\n`);
  }
  console.error(`This needs ${names.join(', ')}: run "sudo apt-get install -y ${names.join(' ')}" first.`);
  process.exit(1);
}
