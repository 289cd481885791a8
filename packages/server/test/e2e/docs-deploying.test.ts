import { beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/command.ts';
import { newFolder } from '../support/folder.ts';

/**
 * The commands of the guides for operators, run as they are written in a copy of the files that they name. Programs that
 * would change this machine, or need an engine or a cluster, are stand-ins that take down what they were asked; what they
 * were asked is then held to the files. Everything else (openssl, promtool, the shell itself) is real.
 */
const root = join(import.meta.dir, '../../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const STAND_INS = ['docker', 'kubectl', 'sudo', 'npm', 'npx', 'git'];
const guides = ['docs/deploying.md', 'docs/upgrading.md'];

const shellBlocks = (guide: string): string[] =>
  [...read(guide).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);

interface Pasted {
  readonly folder: string;
  readonly calls: readonly (readonly string[])[];
}

function paste(commands: string): Pasted {
  const folder = newFolder();
  const programs = newFolder();
  for (const path of ['deploy', 'compose.yaml', 'compose.cluster.yaml', 'Dockerfile']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  const record = join(programs, 'calls');
  writeFileSync(record, '');
  for (const name of STAND_INS) {
    writeFileSync(join(programs, name), `#!/bin/sh\n{ printf '%s\\037' ${name} "$@"; echo; } >> ${record}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const { status, stderr } = spawnSync('bash', ['-eu', '-o', 'pipefail', '-c', commands], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${programs}:${process.env.PATH}`, HOME: folder },
  });
  expect(status, `${commands}${stderr}`).toBe(0);
  const calls = readFileSync(record, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split('\u001f').slice(0, -1));
  return { folder, calls };
}

describe('the commands of', () => {
  const pasted = new Map<string, Pasted[]>();
  beforeAll(() => {
    for (const guide of guides) {
      // Only the checkout is somewhere else here.
      const blocks = shellBlocks(guide).map(block => block.replaceAll(/^cd \/srv\/sluice$/gm, 'true'));
      pasted.set(guide, blocks.map(paste));
    }
  }, 60_000);
  const callsOf = (guide: string) => (pasted.get(guide) ?? []).flatMap(({ calls }) => calls);

  for (const guide of guides) {
    test(`${guide} run as they are written`, () => {
      expect(callsOf(guide).length).toBeGreaterThan(5);
    });

    test(`${guide} name files of ours that are there`, () => {
      const words = callsOf(guide)
        .flat()
        .flatMap(word => [word, word.slice(word.indexOf('=') + 1)]);
      const ours = words
        .map(word => word.replace(/^\/srv\/sluice\//, ''))
        .filter(word => /^(deploy|node_modules)\/|^compose\S*\.yaml$/.test(word));
      expect(ours.length).toBeGreaterThan(0);
      expect(ours.filter(path => !existsSync(join(root, path)))).toEqual([]);
    });

    test(`${guide} ask compose for services that its file has`, () => {
      const asked = callsOf(guide).filter(([program, word]) => program === 'docker' && word === 'compose');
      expect(asked.length).toBeGreaterThan(1);
      for (const [, , ...words] of asked) {
        const file = words[0] === '--file' ? words.splice(0, 2)[1] : 'compose.yaml';
        const { services } = Bun.YAML.parse(read(file ?? '')) as { services: object };
        const [verb = '', ...rest] = words.filter(word => !word.startsWith('-'));
        const named = verb === 'exec' || verb === 'cp' ? rest.slice(0, 1) : rest;
        expect(['up', 'logs', 'build', 'exec', 'cp', 'stop']).toContain(verb);
        const names = named.map(name => name.split(':')[0] ?? '');
        expect([file, names.filter(name => !(name in services))]).toEqual([file, []]);
      }
    });

    test(`${guide} ask Kubernetes for objects that the manifests have`, () => {
      const manifests = ['single', 'cluster']
        .map(variant => read(`deploy/kubernetes/${variant}/sluice.yaml`))
        .join('\n');
      const asked = callsOf(guide).filter(([program]) => program === 'kubectl');
      const objects = asked.flat().filter(word => /^(statefulset|deployment)\//.test(word));
      expect(objects.length).toBeGreaterThan(0);
      for (const word of objects) {
        const [kind = '', name] = word.split('/');
        expect(manifests).toMatch(new RegExp(`^kind: ${kind}\\nmetadata:\\n  name: ${name}$`, 'im'));
      }
    });

    test(`${guide} use words that npm and sluice know`, async () => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
      const help = (await runCommand(['help'])).out;
      for (const call of callsOf(guide)) {
        const line = call.join(' ');
        const [, script] = /^npm run (\S+)$/.exec(line) ?? [];
        if (script !== undefined) expect(scripts).toHaveProperty(script);
        const [, word] = /(?:^npx|exec sluice|\.bin\/)\s*sluice (\S+)/.exec(line) ?? [];
        if (word !== undefined) expect(help).toMatch(new RegExp(`^\\s*(sluice )?${word}\\b`, 'm'));
      }
    });
  }

  test('the cluster make secrets that nobody else can read, one of each that its file asks for', () => {
    const written = (pasted.get('docs/deploying.md') ?? []).find(({ folder }) =>
      existsSync(join(folder, '.env')),
    );
    const text = readFileSync(join(written?.folder ?? '', '.env'), 'utf8');
    const values = new Map(
      text
        .trim()
        .split('\n')
        .map(line => line.split('=') as [string, string]),
    );
    const asked = [...read('compose.cluster.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
    expect([...values.keys()].sort()).toEqual([...new Set(asked)].sort());
    expect(values.get('POSTGRES_PASSWORD')).toMatch(/^[0-9a-f]{48}$/);
    expect(values.get('SLUICE_SECRET_KEY')).toMatch(/^[0-9a-f]{64}$/);
    const mode = spawnSync('stat', ['-c', '%a', join(written?.folder ?? '', '.env')], { encoding: 'utf8' });
    expect(mode.stdout.trim()).toBe('600');
  });
});

describe('docs/deploying.md', () => {
  test('names the files of deploy/ that there are', () => {
    const named = [...read('docs/deploying.md').matchAll(/`(deploy\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  test('says what the manifests and recipes allow', () => {
    const guide = read('docs/deploying.md');
    expect(guide).toContain('user 10001');
    expect(read('Dockerfile')).toContain('USER 10001:10001');
    expect(read('compose.yaml')).toContain('mem_limit: 1g');
    expect(read('deploy/systemd/sluice.service')).toContain('MemoryMax=1G');
  });
});
