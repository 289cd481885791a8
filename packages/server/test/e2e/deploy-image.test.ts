import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, execForm, isSent, lastOf, readStages } from '../support/dockerfile.ts';
import { newFolder } from '../support/folder.ts';
import { type BuiltImage, buildImage, inRoot } from '../support/image.ts';
import { until } from '../support/until.ts';

const workspace = join(import.meta.dir, '../../../..');
const read = (file: string) => readFileSync(join(workspace, file), 'utf8');
const BASE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

describe('the image, built by the commands of its Dockerfile in a clean folder', () => {
  let image: BuiltImage;
  let environment: Record<string, string>;
  let volume: string;
  let container: ChildProcess;
  let output = '';
  let url = '';

  const command = (args: readonly string[]) =>
    inRoot(image.root, { volume, user: lastOf(image.stage, 'USER') }, args);

  beforeAll(async () => {
    image = buildImage();
    environment = environmentOf(image.stage, BASE_PATH);
    // A new volume begins as the folder of the image, its owner included.
    volume = newFolder();
    const { uid, gid } = statSync(join(image.root, 'data'));
    if (process.getuid?.() === 0) chownSync(volume, uid, gid);
    const started = [...execForm(image.stage, 'ENTRYPOINT'), ...execForm(image.stage, 'CMD')];
    container = spawn('unshare', command(started), {
      env: { ...environment, SLUICE_PORT: '0', SLUICE_HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [container.stdout, container.stderr]) stream?.on('data', chunk => (output += chunk));
    await until(
      () => /http:\/\/127\.0\.0\.1:\d+/.test(output) || container.exitCode !== null,
      'it does not start',
    );
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '';
    expect(url, output).not.toBe('');
  });
  afterAll(() => void container?.kill('SIGKILL'));

  test('serves its pages and its health, not as root, with a root that nobody can write to', async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const page = await (await fetch(`${url}/`)).text();
    const script = /src="(\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    expect((await fetch(`${url}${script}`)).status).toBe(200);
    for (const path of ['concepts', 'reference/steps/dedupe', 'pictures/concepts.svg'])
      expect([path, (await fetch(`${url}/docs/guide/${path}`)).status]).toEqual([path, 200]);
    const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
    if (process.getuid?.() === 0) expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(readdirSync(volume)).toContain('sluice.db');
    const write = spawnSync('unshare', command(['touch', '/srv/sluice/x']), { encoding: 'utf8' });
    expect(write.stderr).toContain('Read-only file system');
  });

  test('has Bun as package.json pins it, and neither Node, tests nor development packages', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const version = spawnSync('unshare', command(['bun', '--version']), {
      encoding: 'utf8',
      env: environment,
    });
    expect(version.stdout.trim()).toBe(dependencies.bun);
    const files = readdirSync(join(image.root, 'srv/sluice'), { recursive: true, encoding: 'utf8' });
    expect(files.filter(file => /^packages\/.*(\.test\.tsx?$|\/test\/)/.test(file))).toEqual([]);
    const packages = readdirSync(join(image.root, 'srv/sluice/node_modules'));
    expect(packages).toContain('hono');
    expect(packages.filter(name => name in devDependencies || /^(react|vite|bun|@oven)$/.test(name))).toEqual(
      [],
    );
  });

  test('is healthy by its own check while it serves, and unhealthy where nothing does', () => {
    const check = execForm(image.stage, 'HEALTHCHECK');
    const ask = (port: string) =>
      spawnSync('unshare', command(check), { env: { ...environment, SLUICE_PORT: port } }).status;
    expect(ask(new URL(url).port)).toBe(0);
    expect(ask('1')).toBe(1);
  });

  test('has the command for those who look after it', () => {
    const help = spawnSync('unshare', command(['sluice', 'help']), { encoding: 'utf8', env: environment });
    expect(help.stdout).toContain('doctor');
    expect(help.status).toBe(0);
  });

  test('ends with 0 when it is told to stop', async () => {
    expect(lastOf(image.stage, 'STOPSIGNAL')).toBe('SIGTERM');
    container.kill('SIGTERM');
    const [code] = container.exitCode === null ? await once(container, 'exit') : [container.exitCode];
    expect(code, output).toBe(0);
  });
});

describe('the Dockerfile', () => {
  test('names the version of every base image', () => {
    const stages = readStages(read('Dockerfile'));
    expect(
      stages.filter(({ image }) => !/^[a-z]+:[\w.-]*\d[\w.-]*$|^debian:[a-z]+-slim$/.test(image)),
    ).toEqual([]);
  });

  test('is sent neither data, secrets nor what was built before', () => {
    const ignored = read('.dockerignore');
    const kept = ['data/sluice.db', 'data/secret.key', '.env', '.git/config', 'node_modules/a/b.js'];
    const built = ['packages/dashboard/dist/index.html', 'packages/server/test/x.ts'];
    expect([...kept, ...built].filter(file => isSent(ignored, file))).toEqual([]);
    expect(isSent(ignored, 'packages/server/src/main.ts')).toBe(true);
  });

  test('is sent the guide with the pictures that its pages show, and no others', () => {
    const ignored = read('.dockerignore');
    const files = readdirSync(join(workspace, 'docs'), { recursive: true, encoding: 'utf8' });
    const pages = files.filter(file => file.endsWith('.md'));
    const text = pages.map(file => read(join('docs', file))).join('\n');
    const pictures = files.filter(file => /^pictures\/./.test(file));
    const sent = [...pages, ...pictures].filter(file => isSent(ignored, join('docs', file)));
    expect(sent.sort()).toEqual([...pages, ...pictures.filter(file => text.includes(file))].sort());
  });
});
