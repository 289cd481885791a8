import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Instruction, isSent, readCopy, readStages, type Stage } from './dockerfile.ts';
import { newFolder } from './folder.ts';

/**
 * Builds our Dockerfile without a container engine: each COPY and RUN is taken from the file and carried out in a clean
 * folder that stands for the stage's file system. What differs from a real build: this machine's programs stand in for the
 * base images, and the development packages of the first stage are linked from the workspace, not installed again.
 */
export interface BuiltImage {
  /** Its file system, as far as it does not come from the base image. */
  readonly root: string;
  readonly stage: Stage;
}

const workspace = join(import.meta.dir, '../../../..');

export function buildImage(): BuiltImage {
  const context = sentToTheBuilder();
  const roots = new Map<string, string>();
  let built: BuiltImage | undefined;
  for (const stage of readStages(readFileSync(join(workspace, 'Dockerfile'), 'utf8'))) {
    const root = newFolder();
    chmodSync(root, 0o755);
    if (stage.name !== null) roots.set(stage.name, root);
    let folder = '/';
    for (const instruction of stage.instructions) {
      if (instruction.name === 'WORKDIR') {
        folder = instruction.text;
        mkdirSync(join(root, folder), { recursive: true });
      }
      if (instruction.name === 'COPY') copy(instruction, { context, roots, root, folder });
      if (instruction.name === 'RUN') run(instruction, stage, root, folder);
    }
    built = { root, stage };
  }
  if (built === undefined) throw new Error('The Dockerfile has no stage.');
  return built;
}

/** A copy of the files that belong to the project, less those that .dockerignore names. */
function sentToTheBuilder(): string {
  const context = newFolder();
  const ignored = readFileSync(join(workspace, '.dockerignore'), 'utf8');
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: workspace,
    encoding: 'utf8',
  });
  if (listed.status !== 0) throw new Error(`git did not list the files of the project: ${listed.stderr}`);
  for (const file of listed.stdout.trim().split('\n')) {
    if (!isSent(ignored, file) || !existsSync(join(workspace, file))) continue;
    mkdirSync(dirname(join(context, file)), { recursive: true });
    cpSync(join(workspace, file), join(context, file));
  }
  return context;
}

interface Place {
  readonly context: string;
  readonly roots: ReadonlyMap<string, string>;
  readonly root: string;
  readonly folder: string;
}

function copy({ text }: Instruction, { context, roots, root, folder }: Place): void {
  const { from, sources, target } = readCopy(text);
  const origin = from === null ? context : roots.get(from);
  if (origin === undefined) throw new Error(`COPY ${text}: there is no stage "${from}" before it.`);
  const into = join(root, resolve(folder, target));
  for (const source of sources) {
    const path = join(origin, source);
    if (!existsSync(path)) throw new Error(`COPY ${text}: "${source}" is not there.`);
    const isFolder = statSync(path).isDirectory();
    const name = isFolder || !target.endsWith('/') ? '' : (source.split('/').at(-1) ?? '');
    mkdirSync(isFolder ? into : dirname(join(into, name)), { recursive: true });
    cpSync(path, join(into, name), { recursive: true, verbatimSymlinks: true });
  }
}

function run({ text }: Instruction, stage: Stage, root: string, folder: string): void {
  const place = join(root, folder);
  if (stage.name === 'dashboard' && text.startsWith('npm ci ')) {
    linkPackages(place);
    return;
  }
  // Whoever ran `npm ci` in the workspace has these packages in npm's cache: no test should hang on the network.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_prefer_offline: 'true' };
  const { status, stdout, stderr } =
    stage.name === null
      ? spawnSync('unshare', inRoot(root, 'writable', ['sh', '-c', text]), { encoding: 'utf8', env })
      : spawnSync('sh', ['-c', text], { cwd: place, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`RUN ${text}: ${stdout}${stderr}`);
}

/** As `npm ci` would lay them out, with the stage's own copies of our packages. */
function linkPackages(place: string): void {
  const installed = join(workspace, 'node_modules');
  mkdirSync(join(place, 'node_modules/@sluice'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== '@sluice') symlinkSync(join(installed, name), join(place, 'node_modules', name));
  }
  for (const name of readdirSync(join(place, 'packages'))) {
    symlinkSync(join(place, 'packages', name), join(place, 'node_modules/@sluice', name));
    const own = join(workspace, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(place, 'packages', name, 'node_modules'));
  }
}

/**
 * The arguments of `unshare` that run a command with the image as its root: this machine's programs are there to be read, and
 * `sealed` is as `docker run --read-only --tmpfs /tmp --volume …:/data`, as the given user. Nobody else sees the mounts,
 * and they go with the command, which keeps the process id.
 */
export function inRoot(
  root: string,
  how: 'writable' | { readonly volume: string; readonly user: string },
  command: readonly string[],
): string[] {
  const sealed = how === 'writable' ? null : how;
  const script = `
    set -e
    root=$1; shift
    mount --bind "$root" "$root"
    for name in usr bin sbin lib lib64 etc; do
      if [ -L "/$name" ]; then [ -L "$root/$name" ] || cp -P "/$name" "$root/$name"
      elif [ -d "/$name" ]; then
        mkdir -p "$root/$name"
        mount --bind "/$name" "$root/$name"
        mount -o remount,bind,ro "$root/$name"
      fi
    done
    mkdir -p "$root/proc" "$root/dev" "$root/tmp"
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    ${
      sealed === null
        ? ''
        : `mount -o remount,bind,ro "$root"
           mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
           mount --bind ${sealed.volume} "$root/data"`
    }
    exec setpriv --no-new-privs chroot ${sealed === null ? '' : `--userspec=${sealed.user}`} "$root" "$@"
  `;
  // Others than root need a range of user ids of their own, as /etc/subuid gives them.
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user', '--map-auto'];
  return [...asRoot, '--mount', 'sh', '-c', script, 'sh', root, ...command];
}
