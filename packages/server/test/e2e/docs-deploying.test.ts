import { beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/folder.ts';
import { readText, shellBlocks } from '../support/markdown-blocks.ts';
import { type Pasted, pasteCommands, unknownWords } from '../support/pasted-commands.ts';

/**
 * The commands of the guides for operators, run as they are written in a copy of the files that they name. What the
 * stand-ins for docker, kubectl and their like were asked is then held to the files.
 */
const root = join(import.meta.dir, '../../../..');
const guides = ['docs/deploying.md', 'docs/upgrading.md'];

interface PastedInCopy extends Pasted {
  readonly folder: string;
}

async function paste(commands: string): Promise<PastedInCopy> {
  const folder = newFolder();
  for (const path of ['deploy', 'compose.yaml', 'compose.cluster.yaml', 'Dockerfile']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  return { folder, ...(await pasteCommands(commands, folder)) };
}

describe('the commands of', () => {
  const pasted = new Map<string, PastedInCopy[]>();
  beforeAll(async () => {
    for (const guide of guides) {
      // Only the checkout is somewhere else here.
      const blocks = shellBlocks(guide).map(block => block.replaceAll(/^cd \/srv\/sluice$/gm, 'true'));
      pasted.set(guide, await Promise.all(blocks.map(paste)));
    }
  });
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
        const { services } = Bun.YAML.parse(readText(file ?? '')) as { services: object };
        const [verb = '', ...rest] = words.filter(word => !word.startsWith('-'));
        const named = verb === 'exec' || verb === 'cp' ? rest.slice(0, 1) : rest;
        expect(['up', 'logs', 'build', 'exec', 'cp', 'stop']).toContain(verb);
        const names = named.map(name => name.split(':')[0] ?? '');
        expect([file, names.filter(name => !(name in services))]).toEqual([file, []]);
      }
    });

    test(`${guide} ask Kubernetes for objects that the manifests have`, () => {
      const manifests = ['single', 'cluster']
        .map(variant => readText(`deploy/kubernetes/${variant}/sluice.yaml`))
        .join('\n');
      const asked = callsOf(guide).filter(([program]) => program === 'kubectl');
      const objects = asked.flat().filter(word => /^(statefulset|deployment)\//.test(word));
      expect(objects.length).toBeGreaterThan(0);
      for (const word of objects) {
        const [kind = '', name] = word.split('/');
        expect(manifests).toMatch(new RegExp(`^kind: ${kind}\\nmetadata:\\n  name: ${name}$`, 'im'));
      }
    });

    test(`${guide} use words that npm and sluice know`, () => {
      expect(unknownWords(callsOf(guide))).toEqual([]);
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
    const asked = [...readText('compose.cluster.yaml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name = '']) => name,
    );
    expect([...values.keys()].sort()).toEqual([...new Set(asked)].sort());
    expect(values.get('POSTGRES_PASSWORD')).toMatch(/^[0-9a-f]{48}$/);
    expect(values.get('SLUICE_SECRET_KEY')).toMatch(/^[0-9a-f]{64}$/);
    const mode = spawnSync('stat', ['-c', '%a', join(written?.folder ?? '', '.env')], { encoding: 'utf8' });
    expect(mode.stdout.trim()).toBe('600');
  });
});

describe('docs/deploying.md', () => {
  test('names the files of deploy/ that there are', () => {
    const named = [...readText('docs/deploying.md').matchAll(/`(deploy\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  test('says what the manifests and recipes allow', () => {
    const guide = readText('docs/deploying.md');
    expect(guide).toContain('user 10001');
    expect(readText('Dockerfile')).toContain('USER 10001:10001');
    expect(readText('compose.yaml')).toContain('mem_limit: 1g');
    expect(readText('deploy/systemd/sluice.service')).toContain('MemoryMax=1G');
  });
});
